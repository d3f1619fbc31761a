// Product of f32 weights and float activations: acc = fma(w, x, acc) in ascending k, one lane an output
// feature.

#include "kernels/cpu/functions.hpp"
#include "kernels/cpu/tile_rows.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

struct float_product {
  const float* weights;  // [columns][16] of the current tile
  const float* x;
  std::size_t columns;
  float* out;  // at the tile's first feature
  std::size_t out_stride;
  std::size_t lanes;
};

struct float_tile {
  template <int rows>
  NEAP_INLINE void run(const float_product& p, std::size_t row) {
    const float* x = p.x + row * p.columns;
    floats acc[rows];
    for (int r = 0; r < rows; ++r) acc[r] = zero();
    for (std::size_t k = 0; k < p.columns; ++k) {
      const floats w = load(p.weights + k * packed_lanes);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r)
        acc[r] = fma(w, broadcast(x[static_cast<std::size_t>(r) * p.columns + k]), acc[r]);
    }
    store_tile<rows>(acc, p.out + row * p.out_stride, p.out_stride, p.lanes);
  }
};

void matmul_f32(const packed_matrix& w, const float* x, std::size_t rows, std::size_t tile_begin,
                std::size_t tile_end, float* out, std::size_t out_stride) {
  const auto* weights = reinterpret_cast<const float*>(w.codes);
  for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
    const float_product p{.weights = weights + tile * packed_lanes * w.columns,
                          .x = x,
                          .columns = w.columns,
                          .out = out + tile * packed_lanes,
                          .out_stride = out_stride,
                          .lanes = lanes_of_tile(w.rows, tile)};
    for_row_tiles<float_tile>(p, rows);
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
