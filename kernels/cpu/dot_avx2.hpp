#pragma once
// Integer part of the quantised product without VNNI. A code vector is loaded and unpacked once and meets the
// rows of the register tile one after the other; each row's activations are broadcast once for both halves of
// the lanes. Four rows of sums stay in eight registers.
//
// The byte multiply-add (unsigned x signed) saturates at 16 bits. With codes up to 15, eight products of at
// most 2*15*127 sum to 30,480: one widening a group. Larger codes would need one after each product, so they
// are always multiplied as words, where a sum stays below 32 * 255 * 32,512.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Whether dot_bytes is worth its branch.
template <packed_kind kind>
inline constexpr bool bytes_pay = kind == packed_kind::bits4;

// One vector for each half of the 16 lanes.
struct halves {
  __m256i part[2];
};

NEAP_INLINE halves load_halves(const std::uint8_t* p) {
  const auto* vectors = reinterpret_cast<const __m256i*>(p);
  return {{_mm256_loadu_si256(vectors), _mm256_loadu_si256(vectors + 1)}};
}

// Bits [shift, shift + width) of every byte; a 16-bit shift and a mask do, as no field crosses a byte.
template <int shift, int width>
NEAP_INLINE halves byte_field(const halves& codes) {
  const __m256i mask = _mm256_set1_epi8((1 << width) - 1);
  return {{_mm256_and_si256(_mm256_srli_epi16(codes.part[0], shift), mask),
           _mm256_and_si256(_mm256_srli_epi16(codes.part[1], shift), mask)}};
}

// Bits [shift, shift + width) of every 16-bit word.
template <int shift, int width>
NEAP_INLINE halves word_field(const halves& codes) {
  halves out = codes;
  for (auto& part : out.part) {
    if (shift > 0) part = _mm256_srli_epi16(part, shift);
    if (shift + width < 16) part = _mm256_and_si256(part, _mm256_set1_epi16((1 << width) - 1));
  }
  return out;
}

// Four bytes or two words of a row in every lane.
template <class Code>
NEAP_INLINE __m256i broadcast_lane(const Code* p) {
  int lane;
  __builtin_memcpy(&lane, p, sizeof lane);
  return _mm256_set1_epi32(lane);
}

NEAP_INLINE __m256i widen(__m256i pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }

// sum += more. The empty statement keeps the optimiser from gathering all additions of a group at its end,
// which spills every product.
NEAP_INLINE void add16(__m256i& sum, __m256i more) {
  sum = _mm256_add_epi16(sum, more);
  asm("" : "+x"(sum));
}
NEAP_INLINE void add32(__m256i& sum, __m256i more) {
  sum = _mm256_add_epi32(sum, more);
  asm("" : "+x"(sum));
}

NEAP_INLINE floats to_floats(const halves& sums) {
  return {_mm256_cvtepi32_ps(sums.part[0]), _mm256_cvtepi32_ps(sums.part[1])};
}

template <int rows>
struct row_sums {
  halves row[rows];
};

template <int rows>
NEAP_INLINE row_sums<rows> zero_sums() {
  row_sums<rows> sums;
  for (auto& row : sums.row) row = {{_mm256_setzero_si256(), _mm256_setzero_si256()}};
  return sums;
}

// Adds four k to 16-bit sums, which must not overflow.
template <int rows>
NEAP_INLINE void add_narrow(const halves& codes, const row_walk<std::int8_t>& x, std::size_t at,
                            row_sums<rows>& sums) {
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    const __m256i activations = broadcast_lane(element(x, r, at));
    for (int h = 0; h < 2; ++h) add16(sums.row[r].part[h], _mm256_maddubs_epi16(codes.part[h], activations));
  }
}

// Adds two k, in the order of quantized_rows::codes16, to 32-bit sums.
template <int rows>
NEAP_INLINE void add_words(const halves& codes, const row_walk<std::int16_t>& x, std::size_t at,
                           row_sums<rows>& sums) {
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    const __m256i activations = broadcast_lane(element(x, r, at));
    for (int h = 0; h < 2; ++h) add32(sums.row[r].part[h], _mm256_madd_epi16(codes.part[h], activations));
  }
}

template <int group, int rows>
NEAP_INLINE row_sums<rows> sum_nibbles(const std::uint8_t* codes, const row_walk<std::int8_t>& x) {
  auto sums = zero_sums<rows>();
#pragma GCC unroll 4
  for (int j = 0; j < group / 8; ++j) {
    const halves pair = load_halves(codes + 64 * j);
    const auto at = static_cast<std::size_t>(4 * j);
    add_narrow<rows>(byte_field<0, 4>(pair), x, at, sums);
    add_narrow<rows>(byte_field<4, 4>(pair), x, at + group / 2, sums);
  }
  for (auto& row : sums.row)
    for (auto& part : row.part) part = widen(part);
  return sums;
}

// A word of codes holds k and k + 1 of a lane in its bytes, so its fields are those of k and k + 2, then of
// k + 1 and k + 3.
template <packed_kind kind, int group, int rows>
NEAP_INLINE row_sums<rows> sum_words(const std::uint8_t* codes, const row_walk<std::int16_t>& x) {
  auto sums = zero_sums<rows>();
#pragma GCC unroll 8
  for (int j = 0; j < group / (kind == packed_kind::bits8 ? 4 : 8); ++j) {
    const halves words = load_halves(codes + 64 * j);
    const auto at = static_cast<std::size_t>(4 * j);
    if constexpr (kind == packed_kind::bits8) {
      add_words<rows>(word_field<0, 8>(words), x, at, sums);
      add_words<rows>(word_field<8, 8>(words), x, at + 2, sums);
    } else {
      add_words<rows>(word_field<0, 4>(words), x, at, sums);
      add_words<rows>(word_field<8, 4>(words), x, at + 2, sums);
      add_words<rows>(word_field<4, 4>(words), x, at + group / 2, sums);
      add_words<rows>(word_field<12, 4>(words), x, at + group / 2 + 2, sums);
    }
  }
  return sums;
}

// One group of k: out[r][t] = dot of tile t's codes with row r's 8-bit activations.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot_bytes(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int8_t>& x,
                           floats (&out)[rows][tiles]) {
  static_assert(kind == packed_kind::bits4);
  for (int t = 0; t < tiles; ++t) {
    const auto sums = sum_nibbles<group, rows>(codes + static_cast<std::size_t>(t) * tile_bytes, x);
    for (int r = 0; r < rows; ++r) out[r][t] = to_floats(sums.row[r]);
  }
}

// The same for 16-bit activations, in units of 256.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot_words(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int16_t>& x,
                           floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto sums = sum_words<kind, group, rows>(codes + static_cast<std::size_t>(t) * tile_bytes, x);
    for (int r = 0; r < rows; ++r) out[r][t] = to_floats(sums.row[r]) * broadcast(1.0F / 256.0F);
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
