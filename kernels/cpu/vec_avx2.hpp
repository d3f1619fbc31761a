#pragma once
// Sixteen floats in two AVX registers (AVX2, FMA, F16C). The three vec_*.hpp offer the same operations.

#include <immintrin.h>

namespace neap::kernels::NEAP_KERNEL_ISA {

// Register tile of the matrix products: at most so many rows (6 or less), and tiles of features.
inline constexpr int max_tile_rows = 4;
inline constexpr int max_feature_tiles = 1;
// Queries of one attention tile.
inline constexpr int max_tile_queries = 4;
// Sums of attention that stay in registers.
inline constexpr int register_sums = 4;

struct floats {
  __m256 low, high;
};

NEAP_INLINE floats zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
NEAP_INLINE floats broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
NEAP_INLINE floats load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
NEAP_INLINE void store(floats x, float* p) {
  _mm256_storeu_ps(p, x.low);
  _mm256_storeu_ps(p + 8, x.high);
}
NEAP_INLINE floats load_f16(const std::uint16_t* p) {
  const auto* halves = reinterpret_cast<const __m128i*>(p);
  return {_mm256_cvtph_ps(_mm_loadu_si128(halves)), _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
}
// Rounds to nearest even.
NEAP_INLINE void store_f16(floats x, std::uint16_t* p) {
  auto* halves = reinterpret_cast<__m128i*>(p);
  _mm_storeu_si128(halves, _mm256_cvtps_ph(x.low, _MM_FROUND_TO_NEAREST_INT));
  _mm_storeu_si128(halves + 1, _mm256_cvtps_ph(x.high, _MM_FROUND_TO_NEAREST_INT));
}

NEAP_INLINE floats operator+(floats a, floats b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
NEAP_INLINE floats operator-(floats a, floats b) {
  return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
NEAP_INLINE floats operator*(floats a, floats b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
NEAP_INLINE floats operator/(floats a, floats b) {
  return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}
// a * b + c; one rounding where the ISA has it.
NEAP_INLINE floats fma(floats a, floats b, floats c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
// The second operand where either is NaN.
NEAP_INLINE floats max(floats a, floats b) {
  return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}
NEAP_INLINE floats min(floats a, floats b) {
  return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}
NEAP_INLINE floats absolute(floats a) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return {_mm256_andnot_ps(sign, a.low), _mm256_andnot_ps(sign, a.high)};
}
NEAP_INLINE floats round(floats a) {
  constexpr int mode = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return {_mm256_round_ps(a.low, mode), _mm256_round_ps(a.high, mode)};
}

NEAP_INLINE __m256 power_of_two_half(__m256 n) {
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}
// 2^n for whole n in [-126, 127].
NEAP_INLINE floats power_of_two(floats n) { return {power_of_two_half(n.low), power_of_two_half(n.high)}; }

// y where x >= limit or x is NaN, else 0.
NEAP_INLINE floats zero_below(floats x, float limit, floats y) {
  const __m256 l = _mm256_set1_ps(limit);
  return {_mm256_and_ps(_mm256_cmp_ps(x.low, l, _CMP_NLT_UQ), y.low),
          _mm256_and_ps(_mm256_cmp_ps(x.high, l, _CMP_NLT_UQ), y.high)};
}

NEAP_INLINE __m256 lane_mask(__m256i lane, int begin, int end) {
  const __m256i in = _mm256_and_si256(_mm256_cmpgt_epi32(lane, _mm256_set1_epi32(begin - 1)),
                                      _mm256_cmpgt_epi32(_mm256_set1_epi32(end), lane));
  return _mm256_castsi256_ps(in);
}
// Lanes [begin, end) of a, other lanes of b; 0 <= begin <= end <= 16.
NEAP_INLINE floats select_lanes(int begin, int end, floats a, floats b) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return {_mm256_blendv_ps(b.low, a.low, lane_mask(lane, begin, end)),
          _mm256_blendv_ps(b.high, a.high, lane_mask(lane, begin - 8, end - 8))};
}

NEAP_INLINE float reduce_add(floats a) {
  const __m256 eight = _mm256_add_ps(a.low, a.high);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
NEAP_INLINE float reduce_max(floats a) {
  const __m256 eight = _mm256_max_ps(a.low, a.high);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

// Whether any lane equals x.
NEAP_INLINE bool any_equal(floats a, float x) {
  const __m256 value = _mm256_set1_ps(x);
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(a.low, value, _CMP_EQ_OQ),
                                         _mm256_cmp_ps(a.high, value, _CMP_EQ_OQ))) != 0;
}

NEAP_INLINE int reduce_add(__m256i a) {
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

// Lanes rounded to nearest even as bytes; every lane is in [-127, 127].
NEAP_INLINE void store_codes(floats a, std::int8_t* p) {
  const __m256i low = _mm256_cvtps_epi32(a.low);
  const __m256i high = _mm256_cvtps_epi32(a.high);
  // The 256-bit pack works within 128-bit halves: the permute restores the order.
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
  const __m128i codes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), codes);
}
// The same as 16-bit words within [-32512, 32512], every four lanes in the order 0, 2, 1, 3. Returns their
// sum.
NEAP_INLINE int store_codes(floats a, std::int16_t* p) {
  const __m256i low = _mm256_cvtps_epi32(a.low);
  const __m256i high = _mm256_cvtps_epi32(a.high);
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
  const __m256i ordered = _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(words, 0xD8), 0xD8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), ordered);
  return reduce_add(_mm256_add_epi32(low, high));
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
