#pragma once
// Random inputs for property tests.

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace neap::test {

// Valid UTF-8 of that many characters: mostly letters, digits, blanks and signs in runs, some from all
// planes.
std::string random_text(std::mt19937& random, std::size_t characters);

// Any bytes, biased to lead and continuation bytes.
std::string random_bytes(std::mt19937& random, std::size_t count);

// The text in pieces at random borders, some of them empty.
std::vector<std::string_view> random_cuts(std::mt19937& random, std::string_view text);

// UTF-8 of a code point.
std::string to_utf8(char32_t code_point);

}  // namespace neap::test
