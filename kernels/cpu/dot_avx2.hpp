#pragma once
// Integer part of the quantised product without VNNI. With 8-bit activations the byte multiply-add (unsigned x
// signed) saturates at 16 bits, so its use is limited to what stays exact:
//   codes up to 15 (bits4): 8 products of at most 2*15*127 sum to 30,480: one widening a group;
//   codes up to 127: one product is at most 2*127*127 = 32,258: widened each time;
//   larger codes (Q8_0 only): the top bit is multiplied apart, 8 products of at most 254 sum to 2,032.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// The codes of 16 features for one group of k, one byte a code: [j][h] holds k = 4j..4j+3 of lanes 8h..8h+7.
template <int group>
struct code_group {
  static constexpr int quads = group / 4;
  __m256i low[quads][2];  // low seven bits
  __m256i top[quads][2];  // top bit as 0 or 1; set only if has_top
  bool has_top = false;
};

template <int group>
NEAP_INLINE void load_nibbles(const std::uint8_t* p, code_group<group>& out) {
  constexpr int half = group / 8;
  const __m256i nibble = _mm256_set1_epi8(15);
  for (int j = 0; j < half; ++j)
    for (int h = 0; h < 2; ++h) {
      const __m256i pair = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 64 * j + 32 * h));
      out.low[j][h] = _mm256_and_si256(pair, nibble);
      out.low[j + half][h] = _mm256_and_si256(_mm256_srli_epi16(pair, 4), nibble);
    }
}

template <int group>
NEAP_INLINE void load_bytes(const std::uint8_t* p, code_group<group>& out) {
  const __m256i seven = _mm256_set1_epi8(127);
  __m256i any = _mm256_setzero_si256();
  for (int j = 0; j < group / 4; ++j)
    for (int h = 0; h < 2; ++h) {
      const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 64 * j + 32 * h));
      out.low[j][h] = _mm256_and_si256(code, seven);
      out.top[j][h] = _mm256_and_si256(_mm256_srli_epi16(code, 7), _mm256_set1_epi8(1));
      any = _mm256_or_si256(any, code);
    }
  out.has_top = _mm256_movemask_epi8(any) != 0;
}

template <packed_kind kind, int group>
NEAP_INLINE code_group<group> load_codes(const std::uint8_t* p) {
  code_group<group> out;
  if constexpr (kind == packed_kind::bits4)
    load_nibbles(p, out);
  else
    load_bytes(p, out);
  return out;
}

NEAP_INLINE __m256i broadcast_quad(const std::int8_t* p) {
  int quad;
  __builtin_memcpy(&quad, p, sizeof quad);
  return _mm256_set1_epi32(quad);
}

NEAP_INLINE __m256i widen(__m256i pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }

// Sum of products of `quads` vectors whose 16-bit sum cannot overflow, for lanes 8h..8h+7.
template <int quads>
NEAP_INLINE __m256i dot_narrow(const __m256i (&codes)[quads][2], int h, const std::int8_t* x) {
  __m256i pairs = _mm256_maddubs_epi16(codes[0][h], broadcast_quad(x));
  for (int j = 1; j < quads; ++j)
    pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(codes[j][h], broadcast_quad(x + 4 * j)));
  return widen(pairs);
}

// The same for codes up to 127.
template <int quads>
NEAP_INLINE __m256i dot_wide(const __m256i (&codes)[quads][2], int h, const std::int8_t* x) {
  __m256i sum = widen(_mm256_maddubs_epi16(codes[0][h], broadcast_quad(x)));
  for (int j = 1; j < quads; ++j)
    sum = _mm256_add_epi32(sum, widen(_mm256_maddubs_epi16(codes[j][h], broadcast_quad(x + 4 * j))));
  return sum;
}

template <packed_kind kind, int group>
NEAP_INLINE __m256 dot_half(const code_group<group>& codes, int h, const std::int8_t* x) {
  __m256i sum;
  if constexpr (kind == packed_kind::bits4) {
    sum = dot_narrow(codes.low, h, x);
  } else {
    sum = dot_wide(codes.low, h, x);
    if (codes.has_top) sum = _mm256_add_epi32(sum, _mm256_slli_epi32(dot_narrow(codes.top, h, x), 7));
  }
  return _mm256_cvtepi32_ps(sum);
}

// One group of k: out[r][t] = dot of tile t's codes with row r's activations, exact.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int8_t>& x,
                     floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_codes<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) {
      const std::int8_t* row = element(x, r, 0);
      out[r][t] = {dot_half<kind>(unpacked, 0, row), dot_half<kind>(unpacked, 1, row)};
    }
  }
}

// The codes of 16 features for one group of k as words: [i][h] holds the two k that meet the activations
// [2i, 2i + 2) of quantized_rows::codes16, of lanes 8h..8h+7.
template <int group>
struct word_group {
  __m256i words[group / 2][2];
};

// Bits [shift, shift + width) of every word.
template <int shift, int width>
NEAP_INLINE __m256i word_field(__m256i words) {
  const __m256i field = shift == 0 ? words : _mm256_srli_epi16(words, shift);
  return shift + width < 16 ? _mm256_and_si256(field, _mm256_set1_epi16((1 << width) - 1)) : field;
}

// A word of codes holds k and k + 1 of a lane in its bytes, so its fields are those of k and k + 2, then of
// k + 1 and k + 3.
template <packed_kind kind, int group>
NEAP_INLINE word_group<group> load_words(const std::uint8_t* p) {
  word_group<group> out;
  for (int j = 0; j < group / (kind == packed_kind::bits8 ? 4 : 8); ++j)
    for (int h = 0; h < 2; ++h) {
      const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 64 * j + 32 * h));
      if constexpr (kind == packed_kind::bits8) {
        out.words[2 * j][h] = word_field<0, 8>(words);
        out.words[2 * j + 1][h] = word_field<8, 8>(words);
      } else {
        out.words[2 * j][h] = word_field<0, 4>(words);
        out.words[2 * j + 1][h] = word_field<8, 4>(words);
        out.words[2 * j + group / 4][h] = word_field<4, 4>(words);
        out.words[2 * j + group / 4 + 1][h] = word_field<12, 4>(words);
      }
    }
  return out;
}

template <int group>
NEAP_INLINE __m256 dot_words(const word_group<group>& codes, int h, const std::int16_t* x) {
  __m256i sum = _mm256_setzero_si256();
  for (int i = 0; i < group / 2; ++i) {
    int pair;
    __builtin_memcpy(&pair, x + 2 * i, sizeof pair);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(codes.words[i][h], _mm256_set1_epi32(pair)));
  }
  return _mm256_cvtepi32_ps(sum);
}

// The same for 16-bit activations: nothing saturates, a sum stays below 32 * 255 * 32,767.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int16_t>& x,
                     floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_words<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) {
      const std::int16_t* row = element(x, r, 0);
      out[r][t] = {dot_words(unpacked, 0, row), dot_words(unpacked, 1, row)};
    }
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
