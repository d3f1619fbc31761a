#pragma once
// Parts shared by the matrix products: rows cut into register tiles, and a tile's results stored.

#include "kernels/cpu/isa.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Features of the tile that exist: 16 but in the last tile.
NEAP_INLINE std::size_t lanes_of_tile(std::size_t features, std::size_t tile) {
  const std::size_t left = features - tile * packed_lanes;
  return left < packed_lanes ? left : packed_lanes;
}

// Stores acc[r] at out + r * stride, only the first `lanes` features.
template <int rows>
NEAP_INLINE void store_tile(const floats* acc, float* out, std::size_t stride, std::size_t lanes) {
  for (int r = 0; r < rows; ++r) {
    float* at = out + static_cast<std::size_t>(r) * stride;
    if (lanes == packed_lanes)
      store(acc[r], at);
    else
      store_partial(acc[r], at, lanes);
  }
}

// Not inlined: each size of register tile is a loop of its own.
template <class Tile, int rows, class Product>
[[gnu::noinline]] static void run_tile(const Product& p, std::size_t row) {
  Tile::template run<rows>(p, row);
}

// Runs Tile::run<n>(p, row) over all rows, in the largest register tiles that fit.
template <class Tile, class Product>
NEAP_INLINE void for_row_tiles(const Product& p, std::size_t rows) {
  std::size_t row = 0;
  for (; row + max_tile_rows <= rows; row += max_tile_rows) run_tile<Tile, max_tile_rows>(p, row);
  if constexpr (max_tile_rows > 8)
    for (; row + 8 <= rows; row += 8) run_tile<Tile, 8>(p, row);
  if constexpr (max_tile_rows > 4)
    for (; row + 4 <= rows; row += 4) run_tile<Tile, 4>(p, row);
  for (; row + 2 <= rows; row += 2) run_tile<Tile, 2>(p, row);
  if (row < rows) run_tile<Tile, 1>(p, row);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
