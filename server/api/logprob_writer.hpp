#pragma once
// Log-probabilities as OpenAI's two endpoints show them. A token that holds only a part of a character is
// shown as `bytes:\xf0\x9f`, so that no two tokens look the same.

#include "messages/stream_event.hpp"
#include "server/api/json_writer.hpp"

#include <span>

namespace neap::api {

// {"content":[{"token","logprob","bytes","top_logprobs":[...]}],"refusal":null}
void write_chat_logprobs(json_writer& out, std::span<const scored_token> scores);

// {"tokens","token_logprobs","top_logprobs","text_offset"}: arrays of equal length. The alternatives of a
// token are one object that always holds the token itself too; null for the first token of a prompt.
void write_completion_logprobs(json_writer& out, std::span<const scored_token> scores);

}  // namespace neap::api
