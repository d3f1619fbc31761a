#pragma once
// Bounded echo of user text in messages.

#include "engine/text/utf8.hpp"

#include <string>
#include <string_view>

namespace neap::api {

// Most bytes of one piece of user text that an error message repeats.
inline constexpr std::size_t echo_limit = 48;

// The text in single quotes: one line, valid UTF-8, at most 200 bytes.
inline std::string quote(std::string_view text) { return text::quote(text, echo_limit); }

}  // namespace neap::api
