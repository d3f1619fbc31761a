#pragma once
// Text of a user or a file inside an error line.

#include <cstddef>
#include <string>
#include <string_view>

namespace neap {

// The text in single quotes: printable ASCII as it is, every other byte as \xNN, cut to `bytes` bytes (then
// "..." before the closing quote). One line, at most 4 * bytes + 5 bytes.
inline std::string quote(std::string_view text, std::size_t bytes = 100) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out + (text.size() > bytes ? "...'" : "'");
}

}  // namespace neap
