#pragma once
// Bodies of the small routes: /v1/models, /tokenize, /detokenize.

#include "messages/gateway.hpp"
#include "messages/result.hpp"
#include "server/api/api_request.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::api {

// {"object":"list","data":[...]} with the context length as `max_model_len`, as vLLM.
std::string models_body(const std::vector<served_model>& models);
// One entry of that list.
std::string model_body(const served_model& model);

// `prompt` (string), `add_special_tokens` (default true), `parse_special` (default false), `model`.
result<text_prompt> parse_tokenize(std::string_view body, const validation_context& context);
// {"tokens":[...],"count":N,"max_model_len":M}
std::string tokens_body(const std::vector<token_id>& tokens, std::uint32_t context_length);

// `tokens`, each below the vocabulary size, `model`.
result<std::vector<token_id>> parse_detokenize(std::string_view body, const validation_context& context);
// {"prompt":"..."}
std::string text_body(std::string_view text);

}  // namespace neap::api
