#include "config/byte_size.hpp"

#include <cctype>
#include <charconv>
#include <string>

namespace neap::config {
namespace {

// Power of two that a suffix multiplies by; negative if there is no such suffix.
int suffix_shift(std::string suffix) {
  for (auto& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (suffix.size() > 1 && suffix.ends_with("ib")) suffix.resize(suffix.size() - 2);
  if (!suffix.empty() && suffix.ends_with("b")) suffix.pop_back();
  if (suffix.empty()) return 0;
  if (suffix == "k") return 10;
  if (suffix == "m") return 20;
  if (suffix == "g") return 30;
  return -1;
}

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  const int shift = suffix_shift(std::string(end, text.data() + text.size()));
  if (shift < 0 || number >= (std::uint64_t{1} << (63 - shift))) return std::nullopt;
  return number << shift;
}

}  // namespace neap::config
