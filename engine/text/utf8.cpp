#include "engine/text/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace neap::text {
namespace {

struct lead_byte {
  std::size_t length = 0;                 // 0: no character starts with this byte
  unsigned char low = 0x80, high = 0xBF;  // allowed second byte
};

// Unicode 15, table 3-7.
lead_byte classify(unsigned char first) noexcept {
  if (first < 0x80) return {1};
  if (first >= 0xC2 && first <= 0xDF) return {2};
  if (first == 0xE0) return {3, 0xA0};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {3};
  if (first == 0xF0) return {4, 0x90};
  if (first >= 0xF1 && first <= 0xF3) return {4};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

// Eight bytes of ASCII at once: most text is that.
bool is_ascii_word(std::string_view text) noexcept {
  if (text.size() < sizeof(std::uint64_t)) return false;
  std::uint64_t word;
  std::memcpy(&word, text.data(), sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

// Control characters, and the two line ends of Unicode that some readers of logs split at.
bool is_unprintable(std::string_view character) noexcept {
  const auto first = static_cast<unsigned char>(character[0]);
  const bool c1 = first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return first < 0x20 || first == 0x7F || c1 || character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9";
}

void append_escaped(std::string_view bytes, std::string& out) {
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
}

}  // namespace

utf8_step decode_step(std::string_view text) noexcept {
  const auto lead = classify(static_cast<unsigned char>(text.front()));
  if (lead.length == 0) return {1, false, false};
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {i, false, true};
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {i, false, false};
  }
  return {lead.length, true, false};
}

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    if (is_ascii_word(text)) {
      text.remove_prefix(sizeof(std::uint64_t));
      continue;
    }
    const auto step = decode_step(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string_view truncate_utf8(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  const auto inside = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
  while (end > 0 && bytes - end < 3 && inside()) --end;
  return text.substr(0, end > 0 && inside() ? bytes : end);  // no character is that long: broken anyway
}

std::string clip_utf8(std::string_view text, std::size_t bytes) {
  // Repair only grows the text, so what lies past `bytes` cannot matter.
  const auto repaired = replace_invalid_utf8(truncate_utf8(text, bytes));
  return std::string{truncate_utf8(repaired, bytes)};
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto step = decode_step(text);
    out += step.valid ? text.substr(0, step.length) : replacement_character;
    text.remove_prefix(step.length);
  }
  return out;
}

std::string quote(std::string_view text, std::size_t bytes) {
  const auto shown = clip_utf8(text, bytes);
  std::string out = "'";
  for (std::string_view rest = shown; !rest.empty();) {
    const auto character = rest.substr(0, decode_step(rest).length);
    if (is_unprintable(character)) {
      append_escaped(character, out);
    } else {
      out += character;
    }
    rest.remove_prefix(character.size());
  }
  return out + (text.size() > bytes ? "...'" : "'");
}

}  // namespace neap::text
