#pragma once
// Integer part of the quantised product in plain C++.

#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// The codes of 16 features for one group of k: quad[j][4 * lane + i] is k = 4j + i of that lane. Sixteen bits
// wide, for the compiler's multiply-add of 16-bit pairs.
template <int group>
struct code_group {
  static constexpr int quads = group / 4;
  std::int16_t quad[quads][64];
};

template <packed_kind kind, int group>
NEAP_INLINE code_group<group> load_codes(const std::uint8_t* p) {
  constexpr int quads = group / 4;
  code_group<group> out;
  if constexpr (kind == packed_kind::bits8) {
    for (int j = 0; j < quads; ++j)
      for (int i = 0; i < 64; ++i) out.quad[j][i] = p[64 * j + i];
  } else {
    for (int j = 0; j < quads / 2; ++j)
      for (int i = 0; i < 64; ++i) {
        out.quad[j][i] = p[64 * j + i] & 15;
        out.quad[j + quads / 2][i] = p[64 * j + i] >> 4;
      }
  }
  return out;
}

// Dot of unpacked codes with one row's activations.
template <int group>
NEAP_INLINE floats dot_row(const code_group<group>& codes, const std::int8_t* x) {
  int sum[16] = {};
  for (int j = 0; j < group / 4; ++j)
    for (int lane = 0; lane < 16; ++lane) {
      const std::int16_t* quad = codes.quad[j] + 4 * lane;
      sum[lane] +=
          (quad[0] * x[4 * j] + quad[1] * x[4 * j + 1]) + (quad[2] * x[4 * j + 2] + quad[3] * x[4 * j + 3]);
    }
  return each_lane([&](int lane) { return static_cast<float>(sum[lane]); });
}

// One group of k: out[r][t] = dot of tile t's codes with row r's activations, exact.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const row_walk<std::int8_t>& x,
                     floats (&out)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const auto unpacked = load_codes<kind, group>(codes + static_cast<std::size_t>(t) * tile_bytes);
    for (int r = 0; r < rows; ++r) out[r][t] = dot_row(unpacked, element(x, r, 0));
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
