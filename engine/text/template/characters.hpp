#pragma once
// Unicode characters as Python's text methods see them, for the scripts of Latin, Greek and Cyrillic letters;
// other scripts have no case or are left as they are.

#include "engine/text/template/tainted_string.hpp"

#include <string>
#include <vector>

namespace neap::text::jinja {

// UTF-8 of a code point. Precondition: code <= 0x10FFFF and no surrogate.
std::string encode_utf8(char32_t code);
// The code point of one whole character; a broken one gives U+FFFD.
char32_t decode_utf8(std::string_view character);

// A string's characters; each broken part counts as one.
std::vector<tainted_string> characters(const tainted_string& text);
std::size_t count_characters(const tainted_string& text);
// Where each of them begins, and the one that begins there.
std::vector<std::size_t> character_offsets(const tainted_string& text);
tainted_string character_at(const tainted_string& text, std::size_t offset);

char32_t upper_code(char32_t code);
char32_t lower_code(char32_t code);
// Letters as far as the case of the next letter is concerned.
bool is_letter(char32_t code);
// What str.isspace() accepts, and so strip() and split() remove.
bool is_blank(char32_t code);
// What repr() shows as it is rather than as an escape.
bool is_printable(char32_t code);

}  // namespace neap::text::jinja
