#pragma once
// Integer part of the quantised product: VNNI multiplies four unsigned codes by four signed activations a
// lane.

#include "kernels/cpu/isa.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// The codes of 16 features for one group of k, one byte a code: vector j holds k = 4j..4j+3 of each lane.
template <int group>
struct code_group {
  static constexpr int quads = group / 4;
  __m512i quad[quads];
};

template <packed_kind kind, int group>
NEAP_INLINE code_group<group> load_codes(const std::uint8_t* p) {
  constexpr int quads = group / 4;
  code_group<group> out;
  if constexpr (kind == packed_kind::bits8) {
    for (int j = 0; j < quads; ++j) out.quad[j] = _mm512_loadu_si512(p + 64 * j);
  } else {
    const __m512i nibble = _mm512_set1_epi8(15);
    for (int j = 0; j < quads / 2; ++j) {
      const __m512i pair = _mm512_loadu_si512(p + 64 * j);
      out.quad[j] = _mm512_and_si512(pair, nibble);
      out.quad[j + quads / 2] = _mm512_and_si512(_mm512_srli_epi16(pair, 4), nibble);
    }
  }
  return out;
}

// out[r] = dot of the codes with row r's activations x[r * stride ...], exact.
template <packed_kind kind, int rows, int group>
NEAP_INLINE void dot(const code_group<group>& codes, const std::int8_t* x, std::size_t stride,
                     floats (&out)[rows]) {
  __m512i sum[rows];
  for (int r = 0; r < rows; ++r) sum[r] = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int j = 0; j < group / 4; ++j) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      int quad;
      __builtin_memcpy(&quad, x + static_cast<std::size_t>(r) * stride + 4 * j, sizeof quad);
      sum[r] = _mm512_dpbusd_epi32(sum[r], codes.quad[j], _mm512_set1_epi32(quad));
    }
  }
  for (int r = 0; r < rows; ++r) out[r].v = _mm512_cvtepi32_ps(sum[r]);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
