#include "tests/engine/text/random_text.hpp"

#include <array>

namespace neap::test {
namespace {

std::size_t below(std::mt19937& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
}

char32_t random_code_point(std::mt19937& random) {
  constexpr std::array<char32_t, 5> planes{0x80, 0x800, 0x10000, 0x40000, 0x110000};
  const auto point = static_cast<char32_t>(below(random, planes[below(random, planes.size())]));
  return point >= 0xD800 && point < 0xE000 ? U'\uFFFD' : point;
}

}  // namespace

std::string to_utf8(char32_t point) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | ((point >> shift) & 63U)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0U | (point >> 6)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0U | (point >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (point >> 18)), tail(12), tail(6), tail(0)};
}

std::string random_text(std::mt19937& random, std::size_t characters) {
  constexpr std::string_view common = "etaoinshrdluZQ'0123456789  \n\t\r.,-_{}<|>";
  std::string out;
  for (std::size_t left = characters; left > 0;) {
    const auto run = std::min<std::size_t>(left, below(random, 8) == 0 ? below(random, 40) + 1 : 1);
    const auto piece = below(random, 4) == 0 ? to_utf8(random_code_point(random))
                                             : std::string{common[below(random, common.size())]};
    for (std::size_t i = 0; i < run; ++i) out += piece;
    left -= run;
  }
  return out;
}

std::string random_bytes(std::mt19937& random, std::size_t count) {
  constexpr std::array<unsigned char, 16> hard{0xE0, 0xA0, 0x80, 0xED, 0x9F, 0xF0, 0x90, 0xF4,
                                               0x8F, 0xC2, 0xC0, 0xE2, 0x82, 0xAC, 0xFF, 'a'};
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += static_cast<char>(below(random, 4) == 0 ? below(random, 256) : hard[below(random, hard.size())]);
  return out;
}

std::vector<std::string_view> random_cuts(std::mt19937& random, std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const auto length = std::min(text.size(), below(random, 6));
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

}  // namespace neap::test
