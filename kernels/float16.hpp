#pragma once
// IEEE 754 half precision as bits. Static, so that per-ISA sources keep their own copies.

#include <cstdint>

namespace neap::kernels {

// Exact.
[[gnu::always_inline]] static inline float float_from_f16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U)
    return __builtin_bit_cast(float, sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13));
  // Shifted into a float's fields the exponent is 112 too small; the product corrects it, also for
  // subnormals.
  const float shifted = __builtin_bit_cast(float, magnitude << 13) * 0x1p112F;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, shifted) | sign);
}

// Rounds to nearest even; infinity from 65,520 on.
[[gnu::always_inline]] static inline std::uint16_t f16_from_float(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U | ((magnitude >> 13) & 0x3FFU);  // quiet NaN
  } else if (magnitude >= 0x477FF000U) {
    half = 0x7C00U;
  } else if (magnitude < 0x38800000U) {
    // Subnormal half: adding 0.5 leaves the rounded fraction in the low bits.
    half = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) + 0.5F) - 0x3F000000U;
  } else {
    half = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace neap::kernels
