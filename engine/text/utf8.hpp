#pragma once
// UTF-8 as Unicode 15 section 3.9 defines it: no overlong forms, no surrogates, nothing past U+10FFFF.

#include <cstddef>
#include <string>
#include <string_view>

namespace neap::text {

// What stands at the start of a text.
struct utf8_step {
  std::size_t length = 0;  // bytes of the character, or of the maximal broken part to replace by one U+FFFD
  bool valid = false;      // a whole character
  bool cut = false;        // the text ends inside what could still become a character
};

// Precondition: text is not empty.
utf8_step decode_step(std::string_view text) noexcept;

// Linear in the text.
bool is_valid_utf8(std::string_view text) noexcept;

// The longest prefix of at most `bytes` bytes that ends at a character border; valid if the text is.
std::string_view truncate_utf8(std::string_view text, std::size_t bytes) noexcept;

// At most `bytes` bytes of any text, ending at a character border, broken parts as U+FFFD: always valid.
std::string clip_utf8(std::string_view text, std::size_t bytes);

// The text with every broken part replaced by U+FFFD: always valid.
std::string replace_invalid_utf8(std::string_view text);

// Text of a user or a file for an error line: in single quotes, cut to `bytes` bytes (then "..." before
// the closing quote), control characters and line ends as \xNN, broken UTF-8 as U+FFFD. One line, valid
// UTF-8, at most 4 * bytes + 5 bytes.
std::string quote(std::string_view text, std::size_t bytes);

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

}  // namespace neap::text
