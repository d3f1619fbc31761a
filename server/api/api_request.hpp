#pragma once
// A validated request of the OpenAI routes and how its answer is to be written.

#include "engine/text/tool_calls/tool_call_format.hpp"
#include "messages/gateway.hpp"
#include "messages/generation_request.hpp"
#include "messages/json_value.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::api {

enum class endpoint : std::uint8_t { chat, completions, responses };

struct answer_options {
  api::endpoint endpoint = endpoint::chat;
  bool stream = false;
  bool include_usage = false;               // stream_options.include_usage
  bool return_token_ids = false;            // `token_ids` in each choice
  bool logprobs = false;                    // asked for: never null in the whole answer
  text::tool_call_format tools = text::tool_call_format::none;  // calls of the answer that are to be found
  std::string service_tier;   // the one served, where the client named one: default, priority or flex
  std::string fingerprint;    // of the model and this program
  json_value echoed;          // of a response: its settings as an object, as the answer repeats them
  std::vector<std::string> ignored_fields;  // names of fields without effect, at most ignored_limit
};

inline constexpr std::size_t ignored_limit = 16;

struct api_request {
  generation_request generation;  // id and arrival are left to the caller
  answer_options answer;
};

// What the validator must know of the server.
struct validation_context {
  std::vector<served_model> models;  // the first one also answers to `default`
  std::uint64_t random_seed = 0;     // used where the client gives no seed
};

// Limits on what one request may hold.
inline constexpr std::int64_t choices_limit = 8;
inline constexpr std::size_t stop_limit = 4;
inline constexpr std::size_t stop_bytes_limit = 256;
inline constexpr std::size_t stop_ids_limit = 128;
inline constexpr std::size_t bias_limit = 1024;
inline constexpr std::size_t messages_limit = 4096;  // also of the items of a response
inline constexpr std::size_t tools_limit = 128;
inline constexpr std::size_t metadata_limit = 16;
inline constexpr std::size_t metadata_name_limit = 64;
inline constexpr std::size_t metadata_text_limit = 512;
inline constexpr std::size_t prompt_list_limit = 128;
inline constexpr std::uint32_t default_completion_tokens = 16;

// Body text -> request, the same rules with and without `stream`. Errors carry the field at fault.
result<api_request> parse_request(endpoint where, std::string_view body, const validation_context& context);

}  // namespace neap::api
