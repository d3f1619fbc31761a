#include "engine/text/byte_alphabet.hpp"

namespace neap::text {
namespace {

bool prints_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

std::string utf8(unsigned code_point) {
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xC0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 63))};
}

}  // namespace

byte_alphabet::byte_alphabet() {
  bytes_.fill(-1);
  unsigned stand_in = 256;  // bytes without a printable character of their own, in order
  for (unsigned byte = 0; byte < 256; ++byte) {
    const unsigned code_point = prints_itself(byte) ? byte : stand_in++;
    characters_[byte] = utf8(code_point);
    bytes_[code_point] = static_cast<std::int16_t>(byte);
  }
}

void byte_alphabet::decode(std::string_view text, std::string& out) const {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    unsigned code_point = first;
    std::size_t length = 1;
    if (first >= 0xC0 && first < 0xE0 && i + 1 < text.size()) {
      code_point = ((first & 31U) << 6) | (static_cast<unsigned char>(text[i + 1]) & 63U);
      length = 2;
    }
    const bool known = (first < 0x80 || length == 2) && code_point < bytes_.size() && bytes_[code_point] >= 0;
    if (known) {
      out += static_cast<char>(bytes_[code_point]);
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
}

}  // namespace neap::text
