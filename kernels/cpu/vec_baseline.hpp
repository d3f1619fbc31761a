#pragma once
// Sixteen floats as a plain array that the compiler vectorises for any architecture. The three vec_*.hpp
// offer the same operations.

#include "kernels/float16.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Register tile of the matrix products: at most so many rows (6 or less), and tiles of features.
inline constexpr int max_tile_rows = 4;
inline constexpr int max_feature_tiles = 1;
// Queries of one attention tile.
inline constexpr int max_tile_queries = 4;
// Sums of attention that stay in registers.
inline constexpr int register_sums = 4;

struct floats {
  float v[16];
};

// Applies `op` to every lane.
template <class Op>
NEAP_INLINE floats each_lane(Op op) {
  floats out;
  for (int i = 0; i < 16; ++i) out.v[i] = op(i);
  return out;
}

NEAP_INLINE floats zero() {
  return each_lane([](int) { return 0.0F; });
}
NEAP_INLINE floats broadcast(float x) {
  return each_lane([=](int) { return x; });
}
NEAP_INLINE floats load(const float* p) {
  floats out;
  __builtin_memcpy(out.v, p, sizeof out.v);
  return out;
}
NEAP_INLINE void store(floats x, float* p) { __builtin_memcpy(p, x.v, sizeof x.v); }
NEAP_INLINE floats load_f16(const std::uint16_t* p) {
  std::uint16_t halves[16];
  __builtin_memcpy(halves, p, sizeof halves);
  return each_lane([&](int i) { return float_from_f16(halves[i]); });
}
// Rounds to nearest even.
NEAP_INLINE void store_f16(floats x, std::uint16_t* p) {
  for (int i = 0; i < 16; ++i) {
    const std::uint16_t half = f16_from_float(x.v[i]);
    __builtin_memcpy(p + i, &half, sizeof half);
  }
}

NEAP_INLINE floats operator+(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] + b.v[i]; });
}
NEAP_INLINE floats operator-(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] - b.v[i]; });
}
NEAP_INLINE floats operator*(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] * b.v[i]; });
}
NEAP_INLINE floats operator/(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] / b.v[i]; });
}
// a * b + c; one rounding where the ISA has it.
NEAP_INLINE floats fma(floats a, floats b, floats c) {
  return each_lane([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
}
// The second operand where either is NaN.
NEAP_INLINE floats max(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
NEAP_INLINE floats min(floats a, floats b) {
  return each_lane([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
NEAP_INLINE floats absolute(floats a) {
  return each_lane([&](int i) { return __builtin_fabsf(a.v[i]); });
}
// To nearest even for |x| < 2^22, which is all the kernels ask for: the sum drops the fraction.
NEAP_INLINE floats round(floats a) {
  constexpr float magic = 0x1.8p23F;
  return each_lane([&](int i) { return (a.v[i] + magic) - magic; });
}

// 2^n for whole n in [-126, 127]; NaN gives any value.
NEAP_INLINE floats power_of_two(floats n) {
  // The sum's low bits hold n + 127.
  return each_lane([&](int i) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, n.v[i] + (0x1.8p23F + 127.0F));
    return __builtin_bit_cast(float, bits << 23);
  });
}

// y where x >= limit or x is NaN, else 0.
NEAP_INLINE floats zero_below(floats x, float limit, floats y) {
  return each_lane([&](int i) { return x.v[i] < limit ? 0.0F : y.v[i]; });
}

// Lanes [begin, end) of a, other lanes of b; 0 <= begin <= end <= 16.
NEAP_INLINE floats select_lanes(int begin, int end, floats a, floats b) {
  return each_lane([&](int i) { return i >= begin && i < end ? a.v[i] : b.v[i]; });
}

NEAP_INLINE float reduce_add(floats a) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) a.v[i] += a.v[i + half];
  return a.v[0];
}
NEAP_INLINE float reduce_max(floats a) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) a.v[i] = a.v[i] > a.v[i + half] ? a.v[i] : a.v[i + half];
  return a.v[0];
}

// Whether any lane equals x.
NEAP_INLINE bool any_equal(floats a, float x) {
  bool any = false;
  for (int i = 0; i < 16; ++i) any |= a.v[i] == x;
  return any;
}

// Lanes rounded to nearest even as bytes; every lane is in [-127, 127]. Returns their sum.
NEAP_INLINE int store_codes(floats a, std::int8_t* p) {
  const floats rounded = round(a);
  int sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int code = static_cast<int>(rounded.v[i]);
    p[i] = static_cast<std::int8_t>(code);
    sum += code;
  }
  return sum;
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
