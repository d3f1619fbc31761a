#pragma once
// Sixteen floats in the compiler's generic vectors, for any architecture. The three vec_*.hpp offer the same
// operations.

#include "kernels/float16.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Register tile of the matrix products: at most so many rows (6 or less), and tiles of features.
inline constexpr int max_tile_rows = 2;
inline constexpr int max_feature_tiles = 1;
// Queries of one attention tile.
inline constexpr int max_tile_queries = 2;
// Sums of attention that stay in registers.
inline constexpr int register_sums = 2;

using float_lanes [[gnu::vector_size(16)]] = float;
using int_lanes [[gnu::vector_size(16)]] = std::int32_t;
using word_lanes [[gnu::vector_size(16)]] = std::uint32_t;

// Four vectors of four: what every 64-bit architecture holds in registers.
struct floats {
  float_lanes part[4];
};

// Applies `op` to the number of each part.
template <class Op>
NEAP_INLINE floats each_part(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}

NEAP_INLINE floats zero() { return {}; }
NEAP_INLINE floats broadcast(float x) {
  const float_lanes v = {x, x, x, x};
  return {{v, v, v, v}};
}
NEAP_INLINE floats load(const float* p) {
  floats out;
  __builtin_memcpy(&out, p, sizeof out);
  return out;
}
NEAP_INLINE void store(floats x, float* p) { __builtin_memcpy(p, &x, sizeof x); }

// As float_from_f16, four at once.
NEAP_INLINE float_lanes four_from_f16(const std::uint16_t* p) {
  const word_lanes words = {p[0], p[1], p[2], p[3]};
  const word_lanes magnitude = words & 0x7FFFU;
  const float_lanes shifted = reinterpret_cast<float_lanes>(magnitude << 13) * 0x1p112F;
  const word_lanes special = 0x7F800000U | ((magnitude & 0x3FFU) << 13);
  const word_lanes bits = magnitude >= 0x7C00U ? special : reinterpret_cast<word_lanes>(shifted);
  return reinterpret_cast<float_lanes>(bits | ((words & 0x8000U) << 16));
}
NEAP_INLINE floats load_f16(const std::uint16_t* p) {
  std::uint16_t halves[16];
  __builtin_memcpy(halves, p, sizeof halves);
  return each_part([&](int i) { return four_from_f16(halves + 4 * i); });
}
// Rounds to nearest even.
NEAP_INLINE void store_f16(floats x, std::uint16_t* p) {
  for (int i = 0; i < 16; ++i) {
    const std::uint16_t half = f16_from_float(x.part[i / 4][i % 4]);
    __builtin_memcpy(p + i, &half, sizeof half);
  }
}

NEAP_INLINE floats operator+(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] + b.part[i]; });
}
NEAP_INLINE floats operator-(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] - b.part[i]; });
}
NEAP_INLINE floats operator*(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] * b.part[i]; });
}
NEAP_INLINE floats operator/(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] / b.part[i]; });
}
// a * b + c; one rounding where the ISA has it.
NEAP_INLINE floats fma(floats a, floats b, floats c) {
  return each_part([&](int i) { return a.part[i] * b.part[i] + c.part[i]; });
}
// The second operand where either is NaN.
NEAP_INLINE floats max(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
}
NEAP_INLINE floats min(floats a, floats b) {
  return each_part([&](int i) { return a.part[i] < b.part[i] ? a.part[i] : b.part[i]; });
}
NEAP_INLINE floats absolute(floats a) {
  return each_part([&](int i) {
    return reinterpret_cast<float_lanes>(reinterpret_cast<word_lanes>(a.part[i]) & 0x7FFFFFFFU);
  });
}
// To nearest even for |x| < 2^22, which is all the kernels ask for: the sum drops the fraction.
NEAP_INLINE floats round(floats a) {
  return each_part([&](int i) { return (a.part[i] + 0x1.8p23F) - 0x1.8p23F; });
}

// 2^n for whole n in [-126, 127]; NaN gives any value. The sum's low bits hold n + 127.
NEAP_INLINE floats power_of_two(floats n) {
  return each_part([&](int i) {
    return reinterpret_cast<float_lanes>(reinterpret_cast<word_lanes>(n.part[i] + (0x1.8p23F + 127.0F))
                                         << 23);
  });
}

// y where x >= limit or x is NaN, else 0.
NEAP_INLINE floats zero_below(floats x, float limit, floats y) {
  return each_part([&](int i) { return x.part[i] < limit ? float_lanes{} : y.part[i]; });
}

// Lanes [begin, end) of a, other lanes of b; 0 <= begin <= end <= 16.
NEAP_INLINE floats select_lanes(int begin, int end, floats a, floats b) {
  return each_part([&](int i) {
    const int_lanes lane = int_lanes{0, 1, 2, 3} + 4 * i;
    return (lane >= begin) & (lane < end) ? a.part[i] : b.part[i];
  });
}

NEAP_INLINE float reduce_add(floats a) {
  float lanes[16];
  store(a, lanes);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}
NEAP_INLINE float reduce_max(floats a) {
  float lanes[16];
  store(a, lanes);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
  return lanes[0];
}

// Whether any lane equals x.
NEAP_INLINE bool any_equal(floats a, float x) {
  float lanes[16];
  store(a, lanes);
  bool any = false;
  for (const float lane : lanes) any |= lane == x;
  return any;
}

// Lanes rounded to nearest even as bytes; every lane is in [-127, 127].
NEAP_INLINE void store_codes(floats a, std::int8_t* p) {
  float lanes[16];
  store(round(a), lanes);
  for (int i = 0; i < 16; ++i) p[i] = static_cast<std::int8_t>(lanes[i]);
}
// The same as 16-bit words within [-32512, 32512], every four lanes in the order 0, 2, 1, 3. Returns their
// sum.
NEAP_INLINE int store_codes(floats a, std::int16_t* p) {
  float lanes[16];
  store(round(a), lanes);
  int sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int code = static_cast<int>(lanes[i]);
    const int swapped = i % 4 == 1 || i % 4 == 2 ? i ^ 3 : i;
    p[swapped] = static_cast<std::int16_t>(code);
    sum += code;
  }
  return sum;
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
