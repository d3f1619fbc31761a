#pragma once
// Integer part of the quantised product in generic vectors of 16-bit lanes. Codes are split into nibbles,
// since 16 products of a nibble stay below 16 * 15 * 127 = 30,480 and can be summed in 16 bits.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

using short_lanes [[gnu::vector_size(16)]] = std::int16_t;

// Nibbles of 16 features for one group of k: [k][half], a lane a feature. `high` only for bits8.
template <int group>
struct code_group {
  short_lanes low[group][2];
  short_lanes high[group][2];
};

// Nibble number `index` (0..7) of the word each lane has at p.
NEAP_INLINE void split_nibbles(const std::uint8_t* p, int index, short_lanes (&out)[2]) {
  std::uint32_t words[16];
  std::int16_t shorts[16];
  __builtin_memcpy(words, p, sizeof words);
  for (int lane = 0; lane < 16; ++lane)
    shorts[lane] = static_cast<std::int16_t>((words[lane] >> (4 * index)) & 15U);
  __builtin_memcpy(out, shorts, sizeof shorts);
}

template <packed_kind kind, int group>
NEAP_INLINE code_group<group> load_codes(const std::uint8_t* p) {
  code_group<group> out;
  for (int j = 0; j < group / (kind == packed_kind::bits8 ? 4 : 8); ++j)
    for (int i = 0; i < 4; ++i) {
      const int k = 4 * j + i;
      split_nibbles(p + 64 * j, 2 * i, out.low[k]);
      split_nibbles(p + 64 * j, 2 * i + 1, kind == packed_kind::bits8 ? out.high[k] : out.low[k + group / 2]);
    }
  return out;
}

// Adds `factor` times the sum of `group` products a lane, widened after every 16.
template <int group>
NEAP_INLINE void dot_nibbles(const short_lanes (&codes)[group][2], const std::int8_t* x, int factor,
                             int (&total)[16]) {
  for (int k = 0; k < group; k += 16) {
    short_lanes sum[2] = {};
    for (int i = k; i < k + 16; ++i) {
      const auto activation = static_cast<std::int16_t>(x[i]);
      sum[0] += codes[i][0] * activation;
      sum[1] += codes[i][1] * activation;
    }
    for (int lane = 0; lane < 16; ++lane) total[lane] += factor * sum[lane / 8][lane % 8];
  }
}

// One group of k: out[r][t] = dot of tile t's codes with row r's activations, exact.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int8_t>& x,
                     floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_codes<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) {
      int total[16] = {};
      float sums[16];
      dot_nibbles(unpacked.low, element(x, r, 0), 1, total);
      if constexpr (kind == packed_kind::bits8) dot_nibbles(unpacked.high, element(x, r, 0), 16, total);
      for (int lane = 0; lane < 16; ++lane) sums[lane] = static_cast<float>(total[lane]);
      out[r][t] = load(sums);
    }
  }
}

using int_vector [[gnu::vector_size(16)]] = std::int32_t;

// Four lanes of x[0] * codes[0] + x[1] * codes[1]; `codes` holds both of each lane.
NEAP_INLINE int_vector multiply_pairs(short_lanes codes, const std::int16_t* x) {
#if defined(__SSE2__)
  const short_lanes pair = {x[0], x[1], x[0], x[1], x[0], x[1], x[0], x[1]};
  return __builtin_ia32_pmaddwd128(codes, pair);
#else
  int_vector out;
  for (int lane = 0; lane < 4; ++lane) out[lane] = codes[2 * lane] * x[0] + codes[2 * lane + 1] * x[1];
  return out;
#endif
}

// The codes of 16 features for one group of k as words: [i][q] holds the two k that meet the activations
// [2i, 2i + 2) of quantized_rows::codes16, of lanes 4q..4q+3.
template <int group>
struct word_group {
  short_lanes words[group / 2][4];
};

template <packed_kind kind, int group>
NEAP_INLINE word_group<group> load_words(const std::uint8_t* p) {
  using bits [[gnu::vector_size(16)]] = std::uint16_t;
  word_group<group> out;
  for (int j = 0; j < group / (kind == packed_kind::bits8 ? 4 : 8); ++j)
    for (int q = 0; q < 4; ++q) {
      bits words;
      __builtin_memcpy(&words, p + 64 * j + 16 * q, sizeof words);
      if constexpr (kind == packed_kind::bits8) {
        out.words[2 * j][q] = reinterpret_cast<short_lanes>(words & 255);
        out.words[2 * j + 1][q] = reinterpret_cast<short_lanes>(words >> 8);
      } else {
        out.words[2 * j][q] = reinterpret_cast<short_lanes>(words & 15);
        out.words[2 * j + 1][q] = reinterpret_cast<short_lanes>((words >> 8) & 15);
        out.words[2 * j + group / 4][q] = reinterpret_cast<short_lanes>((words >> 4) & 15);
        out.words[2 * j + group / 4 + 1][q] = reinterpret_cast<short_lanes>(words >> 12);
      }
    }
  return out;
}

// The same for 16-bit activations.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int16_t>& x,
                     floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_words<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) {
      const std::int16_t* row = element(x, r, 0);
      int_vector sum[4] = {};
      for (int i = 0; i < group / 2; ++i)
        for (int q = 0; q < 4; ++q) sum[q] += multiply_pairs(unpacked.words[i][q], row + 2 * i);
      for (int q = 0; q < 4; ++q) out[r][t].part[q] = __builtin_convertvector(sum[q], float_lanes);
    }
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
