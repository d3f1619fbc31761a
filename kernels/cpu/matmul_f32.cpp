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
  std::size_t last_lanes;  // features that exist in the last tile
};

template <int tiles>
struct float_tile {
  template <int rows>
  NEAP_INLINE void run(const float_product& p, std::size_t row) {
    const std::size_t tile_floats = p.columns * packed_lanes;
    row_walk<float> x = walk_rows(p.x + row * p.columns, p.columns);
    floats acc[rows][tiles];
    for (int r = 0; r < rows; ++r)
      for (int t = 0; t < tiles; ++t) acc[r][t] = zero();
    for (std::size_t k = 0; k < p.columns; ++k) {
      floats w[tiles];
      for (int t = 0; t < tiles; ++t)
        w[t] = load(p.weights + static_cast<std::size_t>(t) * tile_floats + k * packed_lanes);
#pragma GCC unroll 6
      for (int r = 0; r < rows; ++r)
        for (int t = 0; t < tiles; ++t) acc[r][t] = fma(w[t], broadcast(*element(x, r, 0)), acc[r][t]);
      advance(x, 1);
    }
    for (int r = 0; r < rows; ++r) {
      float* out = p.out + (row + static_cast<std::size_t>(r)) * p.out_stride;
      for (int t = 0; t < tiles; ++t)
        store_lanes(acc[r][t], out + static_cast<std::size_t>(t) * packed_lanes,
                    t == tiles - 1 ? p.last_lanes : packed_lanes);
    }
  }
};

// `tiles` tiles of features from `tile` on, all rows.
template <int tiles>
NEAP_INLINE void multiply_tiles(const packed_matrix& w, float_product p, std::size_t tile, std::size_t rows) {
  p.weights += tile * packed_lanes * w.columns;
  p.out += tile * packed_lanes;
  p.last_lanes = lanes_of_tile(w.rows, tile + tiles - 1);
  for_row_tiles<float_tile<tiles>>(p, rows);
}

void matmul_f32(const packed_matrix& w, const float* x, std::size_t rows, std::size_t tile_begin,
                std::size_t tile_end, float* out, std::size_t out_stride) {
  const float_product p{.weights = reinterpret_cast<const float*>(w.codes),
                        .x = x,
                        .columns = w.columns,
                        .out = out,
                        .out_stride = out_stride,
                        .last_lanes = packed_lanes};
  std::size_t tile = tile_begin;
  for (; tile + max_feature_tiles <= tile_end; tile += max_feature_tiles)
    multiply_tiles<max_feature_tiles>(w, p, tile, rows);
  if constexpr (max_feature_tiles > 1)
    if (tile < tile_end) multiply_tiles<1>(w, p, tile, rows);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
