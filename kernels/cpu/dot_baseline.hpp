#pragma once
// Integer part of the quantised product in plain C++.

#include "kernels/cpu/isa.hpp"

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

// out[r] = dot of the codes with row r's activations x[r * stride ...], exact.
template <packed_kind kind, int rows, int group>
NEAP_INLINE void dot(const code_group<group>& codes, const std::int8_t* x, std::size_t stride,
                     floats (&out)[rows]) {
  for (int r = 0; r < rows; ++r) {
    const std::int8_t* row = x + static_cast<std::size_t>(r) * stride;
    int sum[16] = {};
    for (int j = 0; j < group / 4; ++j)
      for (int lane = 0; lane < 16; ++lane) {
        const std::int16_t* quad = codes.quad[j] + 4 * lane;
        sum[lane] += (quad[0] * row[4 * j] + quad[1] * row[4 * j + 1]) +
                     (quad[2] * row[4 * j + 2] + quad[3] * row[4 * j + 3]);
      }
    for (int lane = 0; lane < 16; ++lane) out[r].v[lane] = static_cast<float>(sum[lane]);
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
