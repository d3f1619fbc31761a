#include "server/api/base64.hpp"

#include <bit>
#include <cstdint>
#include <string_view>

namespace neap::api {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string little_endian(std::span<const float> values) {
  std::string out;
  out.reserve(values.size() * 4);
  for (const float x : values) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((bits >> shift) & 0xFFU);
  }
  return out;
}

}  // namespace

std::string base64_of(std::span<const float> values) {
  const auto bytes = little_endian(values);
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0U;
  };
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = at(i) << 16U | at(i + 1) << 8U | at(i + 2);
    for (unsigned digit = 0; digit < 4; ++digit)
      out += i + digit <= bytes.size() ? alphabet[(group >> (18 - 6 * digit)) & 63U] : '=';
  }
  return out;
}

}  // namespace neap::api
