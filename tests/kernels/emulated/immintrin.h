#pragma once
// Stands before the compiler's header of this name where the AVX-512 kernels are compiled for a CPU without
// AVX-512: their intrinsics become SIMDe's, and those that SIMDe lacks are written out below.

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <cstring>

// Static, as everything the kernels call: see kernels/cpu/isa.hpp.
namespace emulated {

union floats512 {
  __m512 whole;
  __m256 half[2];
  float lane[16];
};
union bytes512 {
  __m512i whole;
  std::int8_t lane[64];
};
union words512 {
  __m512i whole;
  __m256i half[2];
  std::int32_t lane[16];
};

static inline __m512 to_floats(__m512i a) {
  const words512 in{.whole = a};
  return floats512{.half = {_mm256_cvtepi32_ps(in.half[0]), _mm256_cvtepi32_ps(in.half[1])}}.whole;
}

static inline __m512i to_words(__m512 a) {
  const floats512 in{.whole = a};
  return words512{.half = {_mm256_cvtps_epi32(in.half[0]), _mm256_cvtps_epi32(in.half[1])}}.whole;
}

static inline __m512 from_f16(__m256i a) {
  return floats512{
      .half = {_mm256_cvtph_ps(_mm256_castsi256_si128(a)), _mm256_cvtph_ps(_mm256_extracti128_si256(a, 1))}}
      .whole;
}

static inline __m256i to_f16(__m512 a) {
  const floats512 in{.whole = a};
  return _mm256_setr_m128i((_mm256_cvtps_ph)(in.half[0], _MM_FROUND_TO_NEAREST_INT),
                           (_mm256_cvtps_ph)(in.half[1], _MM_FROUND_TO_NEAREST_INT));
}

// Integers cut down to their low bits.
template <class Narrow, class Vector>
static inline Vector narrow(__m512i a) {
  const words512 in{.whole = a};
  Narrow lanes[16];
  for (int i = 0; i < 16; ++i) lanes[i] = static_cast<Narrow>(in.lane[i]);
  Vector out;
  static_assert(sizeof out == sizeof lanes);
  std::memcpy(&out, lanes, sizeof out);
  return out;
}

// In the order of the compiler's sequence: halves, then quarters.
template <class Lane, class Combine>
static inline Lane reduce(const Lane (&lanes)[16], Combine combine) {
  Lane work[16];
  std::memcpy(work, lanes, sizeof work);
  for (int width = 8; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) work[i] = combine(work[i], work[i + width]);
  return work[0];
}

static inline float sum(__m512 a) {
  return reduce(floats512{.whole = a}.lane, [](float x, float y) { return x + y; });
}
static inline float largest(__m512 a) {
  return reduce(floats512{.whole = a}.lane, [](float x, float y) { return x > y ? x : y; });
}
static inline int sum(__m512i a) {
  return reduce(words512{.whole = a}.lane, [](int x, int y) { return x + y; });
}

// The two multiply-adds by their definition. Not inlined: SIMDe's, unrolled over a register tile, take the
// compiler minutes.
[[gnu::noinline, maybe_unused]] static __m512i add_byte_products(__m512i sum, __m512i codes,
                                                                 __m512i signed_codes) {
  words512 out{.whole = sum};
  const bytes512 a{.whole = codes}, b{.whole = signed_codes};
  for (int i = 0; i < 64; ++i) out.lane[i / 4] += static_cast<std::uint8_t>(a.lane[i]) * b.lane[i];
  return out.whole;
}
[[gnu::noinline, maybe_unused]] static __m512i add_word_products(__m512i sum, __m512i a, __m512i b) {
  words512 out{.whole = sum};
  const words512 x{.whole = a}, y{.whole = b};
  for (int h = 0; h < 2; ++h)
    out.half[h] = _mm256_add_epi32(out.half[h], _mm256_madd_epi16(x.half[h], y.half[h]));
  return out.whole;
}

}  // namespace emulated

#undef _mm512_dpbusd_epi32
#undef _mm512_dpwssd_epi32
#define _mm512_dpbusd_epi32(sum, a, b) emulated::add_byte_products(sum, a, b)
#define _mm512_dpwssd_epi32(sum, a, b) emulated::add_word_products(sum, a, b)

#define _mm512_cvtepi32_ps(a) emulated::to_floats(a)
#define _mm512_cvtps_epi32(a) emulated::to_words(a)
#define _mm512_cvtph_ps(a) emulated::from_f16(a)
#define _mm512_cvtps_ph(a, rounding) emulated::to_f16(a)
#define _mm512_cvtepi32_epi8(a) emulated::narrow<std::int8_t, __m128i>(a)
#define _mm512_cvtepi32_epi16(a) emulated::narrow<std::int16_t, __m256i>(a)
#define _mm512_reduce_add_ps(a) emulated::sum(a)
#define _mm512_reduce_max_ps(a) emulated::largest(a)
#define _mm512_reduce_add_epi32(a) emulated::sum(a)
