#pragma once

#include <string>
#include <string_view>

namespace neap::model {

// Text from a file or a path for an error line: quoted, at most 100 bytes, everything but printable ASCII as
// \xNN.
inline std::string printable(std::string_view text) {
  constexpr std::size_t limit = 100;
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out + (text.size() > limit ? "...'" : "'");
}

}  // namespace neap::model
