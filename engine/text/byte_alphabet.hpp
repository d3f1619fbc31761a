#pragma once
// GPT-2's printable alphabet: every byte is written as one character, so that token texts hold no blanks.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace neap::text {

class byte_alphabet {
 public:
  byte_alphabet();

  // The character of a byte, as UTF-8.
  std::string_view character(std::uint8_t byte) const { return characters_[byte]; }

  // Appends the bytes that a token's text stands for; characters outside the alphabet stay as they are (added
  // tokens).
  void decode(std::string_view text, std::string& out) const;

 private:
  std::array<std::string, 256> characters_;
  std::array<std::int16_t, 0x144> bytes_{};  // by code point; -1 = not in the alphabet
};

}  // namespace neap::text
