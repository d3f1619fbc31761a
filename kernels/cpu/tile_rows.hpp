#pragma once
// Parts shared by the matrix products: rows cut into register tiles, and a tile's results stored.

#include "kernels/cpu/isa.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Features of the tile that exist: 16 but in the last tile.
NEAP_INLINE std::size_t lanes_of_tile(std::size_t features, std::size_t tile) {
  const std::size_t left = features - tile * packed_lanes;
  return left < packed_lanes ? left : packed_lanes;
}

// Stores one row's results, only the first `lanes` features.
NEAP_INLINE void store_lanes(floats v, float* out, std::size_t lanes) {
  if (lanes == packed_lanes)
    store(v, out);
  else
    store_partial(v, out, lanes);
}

// A walk along up to six rows at once. Two bases three rows apart: base + {0, 1, 2} * stride is one operand
// of an x86 instruction, where six pointers would not fit the registers.
template <class T>
struct row_walk {
  const T* low;
  const T* high;
  std::size_t stride;
};

template <class T>
NEAP_INLINE row_walk<T> walk_rows(const T* first, std::size_t stride) {
  return {first, first + 3 * stride, stride};
}

// Element `at` of row r.
template <class T>
NEAP_INLINE const T* element(const row_walk<T>& walk, int r, std::size_t at) {
  return r < 3 ? walk.low + static_cast<std::size_t>(r) * walk.stride + at
               : walk.high + static_cast<std::size_t>(r - 3) * walk.stride + at;
}

// Steps along the rows. The empty statement keeps the optimiser from turning the bases into a pointer a row.
template <class T>
NEAP_INLINE void advance(row_walk<T>& walk, std::size_t count) {
  walk.low += count;
  walk.high += count;
  asm("" : "+r"(walk.low), "+r"(walk.high));
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
  if constexpr (max_tile_rows > 4)
    for (; row + 4 <= rows; row += 4) run_tile<Tile, 4>(p, row);
  for (; row + 2 <= rows; row += 2) run_tile<Tile, 2>(p, row);
  if (row < rows) run_tile<Tile, 1>(p, row);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
