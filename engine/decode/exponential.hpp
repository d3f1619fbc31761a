#pragma once
// exp(x) for x <= 0 as straight-line float arithmetic: compilers vectorise loops over it, and it gives the
// same bits on every machine.

#include <bit>
#include <cstdint>

namespace neap::decode {

// Relative error below 3e-7; 0 for x < -87. Range reduction by ln 2 (Cody and Waite), Taylor polynomial.
inline float exp_nonpositive(float x) noexcept {
  const float clamped = x < -87.0F ? -87.0F : x;
  constexpr float round_to_integer = 12582912.0F;  // 1.5 * 2^23
  const float power = (clamped * 1.44269504F + round_to_integer) - round_to_integer;
  const float r = (clamped - power * 0.693359375F) + power * 2.12194440e-4F;
  float y = 1.0F / 720.0F;
  y = y * r + 1.0F / 120.0F;
  y = y * r + 1.0F / 24.0F;
  y = y * r + 1.0F / 6.0F;
  y = y * r + 0.5F;
  y = y * r + 1.0F;
  y = y * r + 1.0F;
  const auto bits = (static_cast<std::int32_t>(power) + 127) << 23;
  const float scaled = y * std::bit_cast<float>(bits);
  return x < -87.0F ? 0.0F : scaled;
}

}  // namespace neap::decode
