#pragma once
// The prompt at the front of an answer (`echo`): its text, and the log-probabilities of its tokens.

#include "engine/text/text_stream.hpp"
#include "messages/sequence_request.hpp"
#include "messages/stream_event.hpp"
#include "messages/token_logprobs.hpp"

#include <string>
#include <utility>

namespace neap::request {

class prompt_echo {
 public:
  // The tokenizer must outlive it. `text` as the client wrote it; `control_text`: control tokens are part of
  // it.
  prompt_echo(const text::tokenizer& vocabulary, token_vector_ptr tokens, std::string text,
              bool control_text);

  const std::string& text() const noexcept { return text_; }

  // False the first time: the text is still to be sent.
  bool begun() noexcept { return std::exchange(begun_, true); }
  // The first token, which nothing predicts. Once, before next().
  scored_token first();
  // The next token of the prompt.
  scored_token next(const token_logprobs& scores);

 private:
  void place(scored_token& out, token_id token);

  const text::tokenizer* vocabulary_;
  token_vector_ptr tokens_;
  std::string text_;
  bool control_text_;
  bool begun_ = false;
  text::detokenizer characters_;
  text::text_position end_;    // of the tokens placed so far
  text::text_position whole_;  // of the text
};

}  // namespace neap::request
