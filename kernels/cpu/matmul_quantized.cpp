// Product of quantised weights and quantised activations.
//
// One lane is one output feature. For each group of k in ascending order, a row's accumulator takes
//     acc = fma(scale * x_scale, dot, acc);  acc = fma(minimum, x_sum, acc)
// where dot is an exact integer. Rows never meet, so the size of the register tile changes no bit.

#include "kernels/cpu/functions.hpp"

#if defined(NEAP_KERNEL_ISA_avx512)
#include "kernels/cpu/dot_avx512.hpp"
#elif defined(NEAP_KERNEL_ISA_avx2)
#include "kernels/cpu/dot_avx2.hpp"
#else
#include "kernels/cpu/dot_baseline.hpp"
#endif
#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// One call's arguments, and where its current tile begins.
struct product {
  const packed_matrix* w;
  const quantized_rows* x;
  float* out;
  std::size_t out_stride;
  std::size_t groups;  // of k
  const std::uint8_t* codes;
  const std::uint16_t* scales;
  const std::uint16_t* minimums;
  std::size_t feature;  // first of the tile
  std::size_t lanes;    // features of the tile that exist
};

// Adds group g's part to the accumulators of `rows` rows from `row` on.
template <int rows, int group, packed_kind kind>
NEAP_INLINE void add_group(const product& p, const code_group<group>& codes, std::size_t row, std::size_t g,
                           floats* acc) {
  const floats scale = load_f16(p.scales + g * packed_lanes);
  const floats minimum = load_f16(p.minimums + g * packed_lanes);
  constexpr int step = rows % 4 == 0 ? 4 : rows;  // rows whose integer chains interleave
  const std::size_t stride = p.x->columns;
#pragma GCC unroll 4
  for (int r = 0; r < rows; r += step) {
    floats dots[step];
    const std::size_t first = row + static_cast<std::size_t>(r);
    dot<kind>(codes, p.x->codes + first * stride + g * group, stride, dots);
#pragma GCC unroll 4
    for (int i = 0; i < step; ++i) {
      const std::size_t at = (first + static_cast<std::size_t>(i)) * p.groups + g;
      acc[r + i] = fma(scale * broadcast(p.x->scales[at]), dots[i], acc[r + i]);
      acc[r + i] = fma(minimum, broadcast(p.x->sums[at]), acc[r + i]);
    }
  }
}

template <packed_kind kind, int group>
struct quantized_tile {
  template <int rows>
  NEAP_INLINE void run(const product& p, std::size_t row) {
    constexpr std::size_t bytes = packed_lanes * group / (kind == packed_kind::bits4 ? 2 : 1);
    floats acc[rows];
    for (int r = 0; r < rows; ++r) acc[r] = zero();
    for (std::size_t g = 0; g < p.groups; ++g)
      add_group<rows, group, kind>(p, load_codes<kind, group>(p.codes + g * bytes), row, g, acc);
    store_tile<rows>(acc, p.out + row * p.out_stride + p.feature, p.out_stride, p.lanes);
  }
};

template <packed_kind kind, int group>
static void multiply(product p, std::size_t tile_begin, std::size_t tile_end) {
  const packed_matrix& w = *p.w;
  const std::size_t tile_codes = packed_lanes * w.columns / (kind == packed_kind::bits4 ? 2 : 1);
  const std::size_t tile_scales = packed_lanes * p.groups;
  for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
    p.codes = w.codes + tile * tile_codes;
    p.scales = w.scales + tile * tile_scales;
    p.minimums = w.minimums + tile * tile_scales;
    p.feature = tile * packed_lanes;
    p.lanes = lanes_of_tile(w.rows, tile);
    for_row_tiles<quantized_tile<kind, group>>(p, p.x->rows);
  }
}

void matmul_quantized(const packed_matrix& w, const quantized_rows& x, std::size_t tile_begin,
                      std::size_t tile_end, float* out, std::size_t out_stride) {
  const product p{.w = &w,
                  .x = &x,
                  .out = out,
                  .out_stride = out_stride,
                  .groups = w.columns / w.group,
                  .codes = nullptr,
                  .scales = nullptr,
                  .minimums = nullptr,
                  .feature = 0,
                  .lanes = 0};
  if (w.kind == packed_kind::bits4)
    multiply<packed_kind::bits4, 32>(p, tile_begin, tile_end);
  else if (w.group == 16)
    multiply<packed_kind::bits8, 16>(p, tile_begin, tile_end);
  else
    multiply<packed_kind::bits8, 32>(p, tile_begin, tile_end);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
