#include "engine/text/template/characters.hpp"

#include "engine/text/template/value.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace neap::text::jinja {
namespace {

using range = std::pair<char32_t, char32_t>;

template <std::size_t Count>
bool within(const std::array<range, Count>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const range& r) { return code >= r.first && code <= r.second; });
}

// Capitals whose small letter lies `distance` further on.
struct shifted_block {
  char32_t first, last, distance;
};
constexpr std::array<shifted_block, 8> shifted{{{U'A', U'Z', 32},
                                                {0xC0, 0xD6, 32},
                                                {0xD8, 0xDE, 32},
                                                {0x388, 0x38A, 37},
                                                {0x391, 0x3A1, 32},
                                                {0x3A3, 0x3AB, 32},
                                                {0x410, 0x42F, 32},
                                                {0x400, 0x40F, 80}}};
// Where capitals are the even or the odd code points and their small letters follow them.
constexpr std::array<range, 5> even_capitals{
    {{0x100, 0x12F}, {0x132, 0x137}, {0x14A, 0x177}, {0x460, 0x481}, {0x48A, 0x4BF}}};
constexpr std::array<range, 3> more_even_capitals{{{0x4D0, 0x52F}, {0x1E00, 0x1E95}, {0x1EA0, 0x1EFF}}};
constexpr std::array<range, 3> odd_capitals{{{0x139, 0x148}, {0x179, 0x17E}, {0x4C1, 0x4CE}}};

bool in_even(char32_t code) { return within(even_capitals, code) || within(more_even_capitals, code); }

}  // namespace

std::string encode_utf8(char32_t code) {
  const auto byte = [](char32_t x) { return static_cast<char>(static_cast<unsigned char>(x)); };
  const auto tail = [&](unsigned shift) { return byte(0x80U | ((code >> shift) & 63U)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0U | (code >> 6)), tail(0)};
  if (code < 0x10000) return {byte(0xE0U | (code >> 12)), tail(6), tail(0)};
  return {byte(0xF0U | (code >> 18)), tail(12), tail(6), tail(0)};
}

char32_t decode_utf8(std::string_view character) {
  if (character.empty() || !decode_step(character).valid) return 0xFFFD;
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(character[i]));
  };
  constexpr std::array<char32_t, 5> masks{0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = byte(0) & masks[character.size()];
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6) | (byte(i) & 63U);
  return code;
}

std::vector<tainted_string> characters(const tainted_string& text) {
  spend_work(text.size() / 4);
  std::vector<tainted_string> out;
  for (const auto at : character_offsets(text)) out.push_back(character_at(text, at));
  return out;
}

std::size_t count_characters(const tainted_string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count)
    i += decode_step(std::string_view{text.text()}.substr(i)).length;
  return count;
}

std::vector<std::size_t> character_offsets(const tainted_string& text) {
  std::vector<std::size_t> out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    out.push_back(i);
    i += decode_step(std::string_view{text.text()}.substr(i)).length;
  }
  return out;
}

tainted_string character_at(const tainted_string& text, std::size_t offset) {
  return text.slice(offset, decode_step(std::string_view{text.text()}.substr(offset)).length);
}

char32_t lower_code(char32_t code) {
  for (const auto& block : shifted)
    if (code >= block.first && code <= block.last) return code + block.distance;
  if (code == 0x178) return 0xFF;
  if (in_even(code)) return code | 1U;
  return within(odd_capitals, code) && code % 2 == 1 ? code + 1 : code;
}

char32_t upper_code(char32_t code) {
  for (const auto& block : shifted)
    if (code >= block.first + block.distance && code <= block.last + block.distance)
      return code - block.distance;
  if (code == 0xFF) return 0x178;
  if (code == 0x3C2) return 0x3A3;  // the sigma that ends words
  if (in_even(code)) return code & ~char32_t{1};
  return within(odd_capitals, code) && code % 2 == 0 ? code - 1 : code;
}

bool is_letter(char32_t code) {
  static constexpr std::array<range, 9> letters{{{0xC0, 0xD6},
                                                 {0xD8, 0xF6},
                                                 {0xF8, 0x2C1},
                                                 {0x370, 0x481},
                                                 {0x48A, 0x1FFF},
                                                 {0x2C00, 0x2DFF},
                                                 {0x3005, 0xD7FF},
                                                 {0xF900, 0xFDFF},
                                                 {0x20000, 0x3FFFF}}};
  return (code >= U'A' && code <= U'Z') || (code >= U'a' && code <= U'z') || within(letters, code);
}

bool is_blank(char32_t code) {
  static constexpr std::array<range, 4> blanks{
      {{0x09, 0x0D}, {0x1C, 0x20}, {0x2000, 0x200A}, {0x2028, 0x2029}}};
  return within(blanks, code) || code == 0x85 || code == 0xA0 || code == 0x1680 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

bool is_printable(char32_t code) {
  static constexpr std::array<range, 14> hidden{{{0x00, 0x1F},
                                                 {0x7F, 0xA0},
                                                 {0xAD, 0xAD},
                                                 {0x600, 0x605},
                                                 {0x61C, 0x61C},
                                                 {0x6DD, 0x6DD},
                                                 {0x70F, 0x70F},
                                                 {0x180E, 0x180E},
                                                 {0x200B, 0x200F},
                                                 {0x202A, 0x202E},
                                                 {0x2060, 0x206F},
                                                 {0xE000, 0xF8FF},
                                                 {0xFFF9, 0xFFFB},
                                                 {0xE0000, 0x10FFFF}}};
  return code == ' ' || (!is_blank(code) && !within(hidden, code) && code != 0xFEFF);
}

}  // namespace neap::text::jinja
