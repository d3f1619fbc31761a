#include "engine/text/utf8.hpp"

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
    const auto step = decode_step(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string_view truncate_utf8(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
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

}  // namespace neap::text
