#pragma once
// Integer part of the quantised product in generic vectors of 16-bit lanes. Always on words: SSE2 has a
// multiply-add for them, none for bytes.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Whether dot_bytes is worth its branch: there is none.
template <packed_kind>
inline constexpr bool bytes_pay = false;

using short_lanes [[gnu::vector_size(16)]] = std::int16_t;

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

// One group of k: out[r][t] = dot of tile t's codes with row r's 16-bit activations, in units of 256.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot_words(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int16_t>& x,
                           floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_words<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) {
      const std::int16_t* row = element(x, r, 0);
      int_vector sum[4] = {};
      for (int i = 0; i < group / 2; ++i)
        for (int q = 0; q < 4; ++q) sum[q] += multiply_pairs(unpacked.words[i][q], row + 2 * i);
      for (int q = 0; q < 4; ++q)
        out[r][t].part[q] = __builtin_convertvector(sum[q], float_lanes) * (1.0F / 256.0F);
    }
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
