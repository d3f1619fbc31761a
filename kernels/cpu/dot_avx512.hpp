#pragma once
// Integer part of the quantised product: VNNI multiplies four unsigned codes by four signed bytes a lane, or
// two words by two words.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Whether dot_bytes is worth its branch.
template <packed_kind>
inline constexpr bool bytes_pay = true;

// Adds the product of four k (x[r][at], ...) to every row and tile.
template <int rows, int tiles>
NEAP_INLINE void add_quads(const __m512i (&codes)[tiles], const row_walk<std::int8_t>& x, std::size_t at,
                           __m512i (&sum)[rows][tiles]) {
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) {
    int quad;
    __builtin_memcpy(&quad, element(x, r, at), sizeof quad);
    const __m512i activations = _mm512_set1_epi32(quad);
    for (int t = 0; t < tiles; ++t) sum[r][t] = _mm512_dpbusd_epi32(sum[r][t], codes[t], activations);
  }
}

// Codes of vector j of each tile; tiles lie `tile_bytes` apart.
template <int tiles>
NEAP_INLINE void load_vectors(const std::uint8_t* codes, std::size_t tile_bytes, int j,
                              __m512i (&out)[tiles]) {
  for (int t = 0; t < tiles; ++t)
    out[t] = _mm512_loadu_si512(codes + static_cast<std::size_t>(t) * tile_bytes + 64 * j);
}

// One group of k: out[r][t] = dot of tile t's codes with row r's 8-bit activations.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot_bytes(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int8_t>& x,
                           floats (&out)[rows][tiles]) {
  __m512i sum[rows][tiles];
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t) sum[r][t] = _mm512_setzero_si512();
  if constexpr (kind == packed_kind::bits8) {
#pragma GCC unroll 8
    for (int j = 0; j < group / 4; ++j) {
      __m512i vectors[tiles];
      load_vectors(codes, tile_bytes, j, vectors);
      add_quads(vectors, x, static_cast<std::size_t>(4 * j), sum);
    }
  } else {
    const __m512i nibble = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int j = 0; j < group / 8; ++j) {
      __m512i low[tiles], high[tiles];
      load_vectors(codes, tile_bytes, j, low);
      for (int t = 0; t < tiles; ++t) {
        high[t] = _mm512_and_si512(_mm512_srli_epi16(low[t], 4), nibble);
        low[t] = _mm512_and_si512(low[t], nibble);
      }
      add_quads(low, x, static_cast<std::size_t>(4 * j), sum);
      add_quads(high, x, static_cast<std::size_t>(4 * j + group / 2), sum);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t) out[r][t].v = _mm512_cvtepi32_ps(sum[r][t]);
}

// Adds the product of two k, in the order of quantized_rows::codes16.
template <int rows, int tiles>
NEAP_INLINE void add_pairs(const __m512i (&codes)[tiles], const row_walk<std::int16_t>& x, std::size_t at,
                           __m512i (&sum)[rows][tiles]) {
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) {
    int pair;
    __builtin_memcpy(&pair, element(x, r, at), sizeof pair);
    const __m512i activations = _mm512_set1_epi32(pair);
    for (int t = 0; t < tiles; ++t) sum[r][t] = _mm512_dpwssd_epi32(sum[r][t], codes[t], activations);
  }
}

// Bits [shift, shift + width) of every word.
template <int shift, int width, int tiles>
NEAP_INLINE void word_field(const __m512i (&words)[tiles], __m512i (&out)[tiles]) {
  const __m512i mask = _mm512_set1_epi16((1 << width) - 1);
  for (int t = 0; t < tiles; ++t) {
    out[t] = shift == 0 ? words[t] : _mm512_srli_epi16(words[t], shift);
    if (shift + width < 16) out[t] = _mm512_and_si512(out[t], mask);
  }
}

// The same for 16-bit activations, in units of 256. A word of codes holds k and k + 1 of a lane in its bytes,
// so its fields are those of k and k + 2, then of k + 1 and k + 3.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot_words(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int16_t>& x,
                           floats (&out)[rows][tiles]) {
  __m512i sum[rows][tiles];
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t) sum[r][t] = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int j = 0; j < group / (kind == packed_kind::bits8 ? 4 : 8); ++j) {
    const auto at = static_cast<std::size_t>(4 * j);
    __m512i words[tiles], field[tiles];
    load_vectors(codes, tile_bytes, j, words);
    if constexpr (kind == packed_kind::bits8) {
      word_field<0, 8>(words, field);
      add_pairs(field, x, at, sum);
      word_field<8, 8>(words, field);
      add_pairs(field, x, at + 2, sum);
    } else {
      word_field<0, 4>(words, field);
      add_pairs(field, x, at, sum);
      word_field<8, 4>(words, field);
      add_pairs(field, x, at + 2, sum);
      word_field<4, 4>(words, field);
      add_pairs(field, x, at + group / 2, sum);
      word_field<12, 4>(words, field);
      add_pairs(field, x, at + group / 2 + 2, sum);
    }
  }
  const floats unit = broadcast(1.0F / 256.0F);
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t) out[r][t] = floats{_mm512_cvtepi32_ps(sum[r][t])} * unit;
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
