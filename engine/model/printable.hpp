#pragma once

#include <string>
#include <string_view>

namespace neap::model {

// Text from a file or a path as printable ASCII, everything else as \xNN; cut to at most 200 bytes.
inline std::string escaped(std::string_view text) {
  constexpr std::size_t limit = 200, longest = 4;
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (out.size() + longest + 3 > limit) return out + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

// The same in quotes, for an error line.
inline std::string printable(std::string_view text) { return "'" + escaped(text) + "'"; }

}  // namespace neap::model
