#pragma once
// Sixteen floats in one AVX-512 register. The three vec_*.hpp offer the same operations.

#include <immintrin.h>

namespace neap::kernels::NEAP_KERNEL_ISA {

// Register tile of the matrix products: at most so many rows (6 or less), and tiles of features.
inline constexpr int max_tile_rows = 6;
inline constexpr int max_feature_tiles = 2;
// Queries of one attention tile.
inline constexpr int max_tile_queries = 8;
// Sums of attention that stay in registers.
inline constexpr int register_sums = 8;

struct floats {
  __m512 v;
};

NEAP_INLINE floats zero() { return {_mm512_setzero_ps()}; }
NEAP_INLINE floats broadcast(float x) { return {_mm512_set1_ps(x)}; }
NEAP_INLINE floats load(const float* p) { return {_mm512_loadu_ps(p)}; }
NEAP_INLINE void store(floats x, float* p) { _mm512_storeu_ps(p, x.v); }
NEAP_INLINE floats load_f16(const std::uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
// Rounds to nearest even.
NEAP_INLINE void store_f16(floats x, std::uint16_t* p) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT));
}

NEAP_INLINE floats operator+(floats a, floats b) { return {_mm512_add_ps(a.v, b.v)}; }
NEAP_INLINE floats operator-(floats a, floats b) { return {_mm512_sub_ps(a.v, b.v)}; }
NEAP_INLINE floats operator*(floats a, floats b) { return {_mm512_mul_ps(a.v, b.v)}; }
NEAP_INLINE floats operator/(floats a, floats b) { return {_mm512_div_ps(a.v, b.v)}; }
// a * b + c; one rounding where the ISA has it.
NEAP_INLINE floats fma(floats a, floats b, floats c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
// The second operand where either is NaN.
NEAP_INLINE floats max(floats a, floats b) { return {_mm512_max_ps(a.v, b.v)}; }
NEAP_INLINE floats min(floats a, floats b) { return {_mm512_min_ps(a.v, b.v)}; }
NEAP_INLINE floats absolute(floats a) { return {_mm512_abs_ps(a.v)}; }
NEAP_INLINE floats round(floats a) {
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}

// 2^n for whole n in [-126, 127].
NEAP_INLINE floats power_of_two(floats n) {
  const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23))};
}

// y where x >= limit or x is NaN, else 0.
NEAP_INLINE floats zero_below(floats x, float limit, floats y) {
  return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x.v, _mm512_set1_ps(limit), _CMP_NLT_UQ), y.v)};
}

// Lanes [begin, end) of a, other lanes of b; 0 <= begin <= end <= 16.
NEAP_INLINE floats select_lanes(int begin, int end, floats a, floats b) {
  const std::uint32_t mask = (0xFFFFU >> (16 - end)) & (0xFFFFU << begin);
  return {_mm512_mask_mov_ps(b.v, static_cast<__mmask16>(mask), a.v)};
}

NEAP_INLINE float reduce_add(floats a) { return _mm512_reduce_add_ps(a.v); }
NEAP_INLINE float reduce_max(floats a) { return _mm512_reduce_max_ps(a.v); }

// Whether any lane equals x.
NEAP_INLINE bool any_equal(floats a, float x) {
  return _mm512_cmp_ps_mask(a.v, _mm512_set1_ps(x), _CMP_EQ_OQ) != 0;
}

// Lanes rounded to nearest even as bytes; every lane is in [-127, 127].
NEAP_INLINE void store_codes(floats a, std::int8_t* p) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(a.v)));
}
// The same as 16-bit words within [-32512, 32512], every four lanes in the order 0, 2, 1, 3. Returns their
// sum.
NEAP_INLINE int store_codes(floats a, std::int16_t* p) {
  const __m512i codes = _mm512_cvtps_epi32(a.v);
  const __m256i words = _mm512_cvtepi32_epi16(codes);
  const __m256i ordered = _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(words, 0xD8), 0xD8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), ordered);
  return _mm512_reduce_add_epi32(codes);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
