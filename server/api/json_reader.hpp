#pragma once
// Strict JSON text -> native values.

#include "messages/json_value.hpp"
#include "messages/result.hpp"

#include <cstddef>
#include <string_view>

namespace neap::api {

inline constexpr std::size_t json_depth_limit = 32;
// Values of one document, containers and what they hold; bounds the time and the memory that a body can cost (a
// value takes up to 72 bytes, and 2 in the text).
inline constexpr std::size_t json_value_limit = 100'000;

// One JSON document and nothing else. Refused with invalid_json: bytes that are not UTF-8 (overlong forms,
// surrogates and values past U+10FFFF included), a key twice in one object, NaN and infinities (also by
// overflow), nesting past json_depth_limit, comments, trailing commas. The message names the byte offset. More than json_value_limit values: invalid_request.
// `what` is the document's name in messages.
result<json_value> parse_json(std::string_view text, std::string_view what = "the body");

// For documents that come within another one, as strings: together they may hold what one may.
struct json_budget {
  std::size_t values = json_value_limit;
};
result<json_value> parse_json(std::string_view text, std::string_view what, json_budget& budget);

}  // namespace neap::api
