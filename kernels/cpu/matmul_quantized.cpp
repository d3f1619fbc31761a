// Product of quantised weights and quantised activations.
//
// One lane is one output feature. For each group of k in ascending order, a row's accumulator takes
//     acc = fma(scale * x_scale, dot, acc);  acc = fma(minimum, x_sum, acc)
// where dot is exact, or rounded once to a float. Rows never meet, and a coarse group gives the same bits
// from its 8-bit and from its 16-bit codes, so neither the size of the register tile nor its rows' neighbours
// change a bit.

#include "kernels/cpu/functions.hpp"

#if defined(NEAP_KERNEL_ISA_avx512)
#include "kernels/cpu/dot_avx512.hpp"
#elif defined(NEAP_KERNEL_ISA_avx2)
#include "kernels/cpu/dot_avx2.hpp"
#else
#include "kernels/cpu/dot_baseline.hpp"
#endif

namespace neap::kernels::NEAP_KERNEL_ISA {

// One call's arguments, and where its current tile begins.
struct product {
  const quantized_rows* x;
  float* out;  // at the tile's first feature
  std::size_t out_stride;
  std::size_t groups;  // of k
  const std::uint8_t* codes;
  const std::uint16_t* scales;
  const std::uint16_t* minimums;
  std::size_t last_lanes;  // features that exist in the last tile
};

// Up to six rows' activations at one group of k.
struct activation_walk {
  row_walk<std::int8_t> codes8;
  row_walk<std::int16_t> codes16;
  row_walk<std::uint8_t> fine;
  row_walk<float> scales;
  row_walk<float> sums;
};

NEAP_INLINE activation_walk walk_activations(const quantized_rows& x, std::size_t row, std::size_t groups) {
  return {walk_rows(x.codes8 + row * x.columns, x.columns), walk_rows(x.codes16 + row * x.columns, x.columns),
          walk_rows(x.fine + row * groups, groups), walk_rows(x.scales + row * groups, groups),
          walk_rows(x.sums + row * groups, groups)};
}

// To the next group. Bytes and flags of a product of words alone stand still, to take no register.
template <packed_kind kind, int group>
NEAP_INLINE void advance(activation_walk& x) {
  if constexpr (bytes_pay<kind>) {
    advance(x.codes8, group);
    advance(x.fine, 1);
  }
  advance(x.codes16, group);
  advance(x.scales, 1);
  advance(x.sums, 1);
}

template <int rows>
NEAP_INLINE bool any_fine(const row_walk<std::uint8_t>& fine) {
  int any = 0;
  for (int r = 0; r < rows; ++r) any |= *element(fine, r, 0);
  return any != 0;
}

// One group of k: out[r][t] = dot of tile t's codes with row r's activations.
template <packed_kind kind, int group, int rows, int tiles>
NEAP_INLINE void dot(const std::uint8_t* codes, std::size_t tile_bytes, const activation_walk& x,
                     floats (&out)[rows][tiles]) {
  if constexpr (bytes_pay<kind>)
    if (!any_fine<rows>(x.fine)) {
      dot_bytes<kind, group>(codes, tile_bytes, x.codes8, out);
      return;
    }
  dot_words<kind, group>(codes, tile_bytes, x.codes16, out);
}

// Adds one group's part: scales and minimums are those of the first tile, `tile_scales` apart.
template <int rows, int tiles>
NEAP_INLINE void accumulate(const std::uint16_t* scales, const std::uint16_t* minimums,
                            std::size_t tile_scales, const activation_walk& x,
                            const floats (&dots)[rows][tiles], floats (&acc)[rows][tiles]) {
  for (int t = 0; t < tiles; ++t) {
    const floats scale = load_f16(scales + static_cast<std::size_t>(t) * tile_scales);
    const floats minimum = load_f16(minimums + static_cast<std::size_t>(t) * tile_scales);
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      acc[r][t] = fma(scale * broadcast(*element(x.scales, r, 0)), dots[r][t], acc[r][t]);
      acc[r][t] = fma(minimum, broadcast(*element(x.sums, r, 0)), acc[r][t]);
    }
  }
}

// Asks for the same group of the next tiles: their codes and scales arrive while this tile computes.
template <int bytes, int tiles>
NEAP_INLINE void prefetch_next(const std::uint8_t* codes, const std::uint16_t* scales,
                               const std::uint16_t* minimums, std::size_t tile_bytes,
                               std::size_t tile_scales) {
  for (int t = tiles; t < 2 * tiles; ++t) {
    const auto ahead = static_cast<std::size_t>(t);
    for (int line = 0; line < bytes; line += 64) __builtin_prefetch(codes + ahead * tile_bytes + line);
    __builtin_prefetch(scales + ahead * tile_scales);
    __builtin_prefetch(minimums + ahead * tile_scales);
  }
}

template <packed_kind kind, int group, int tiles>
struct quantized_tile {
  static constexpr int group_bytes =
      static_cast<int>(packed_lanes) * group / (kind == packed_kind::bits4 ? 2 : 1);

  template <int rows>
  NEAP_INLINE void run(const product& p, std::size_t row) {
    const std::size_t tile_bytes = p.groups * group_bytes;
    const std::size_t tile_scales = p.groups * packed_lanes;
    auto x = walk_activations(*p.x, row, p.groups);
    floats acc[rows][tiles];
    for (int r = 0; r < rows; ++r)
      for (int t = 0; t < tiles; ++t) acc[r][t] = zero();
    for (std::size_t g = 0; g < p.groups; ++g) {
      const std::uint8_t* codes = p.codes + g * group_bytes;
      const std::size_t at = g * packed_lanes;
      floats dots[rows][tiles];
      dot<kind, group>(codes, tile_bytes, x, dots);
      accumulate(p.scales + at, p.minimums + at, tile_scales, x, dots, acc);
      prefetch_next<group_bytes, tiles>(codes, p.scales + at, p.minimums + at, tile_bytes, tile_scales);
      advance<kind, group>(x);
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
template <packed_kind kind, int group, int tiles>
NEAP_INLINE void multiply_tiles(const packed_matrix& w, product p, std::size_t tile) {
  using tile_type = quantized_tile<kind, group, tiles>;
  p.codes = w.codes + tile * p.groups * tile_type::group_bytes;
  p.scales = w.scales + tile * p.groups * packed_lanes;
  p.minimums = w.minimums + tile * p.groups * packed_lanes;
  p.out += tile * packed_lanes;
  p.last_lanes = lanes_of_tile(w.rows, tile + tiles - 1);
  for_row_tiles<tile_type>(p, p.x->rows);
}

template <packed_kind kind, int group>
static void multiply(const packed_matrix& w, const product& p, std::size_t tile_begin, std::size_t tile_end) {
  std::size_t tile = tile_begin;
  for (; tile + max_feature_tiles <= tile_end; tile += max_feature_tiles)
    multiply_tiles<kind, group, max_feature_tiles>(w, p, tile);
  if constexpr (max_feature_tiles > 1)
    if (tile < tile_end) multiply_tiles<kind, group, 1>(w, p, tile);
}

void matmul_quantized(const packed_matrix& w, const quantized_rows& x, std::size_t tile_begin,
                      std::size_t tile_end, float* out, std::size_t out_stride) {
  const product p{.x = &x,
                  .out = out,
                  .out_stride = out_stride,
                  .groups = w.columns / w.group,
                  .codes = nullptr,
                  .scales = nullptr,
                  .minimums = nullptr,
                  .last_lanes = packed_lanes};
  if (w.kind == packed_kind::bits4)
    multiply<packed_kind::bits4, 32>(w, p, tile_begin, tile_end);
  else if (w.group == 16)
    multiply<packed_kind::bits8, 16>(w, p, tile_begin, tile_end);
  else
    multiply<packed_kind::bits8, 32>(w, p, tile_begin, tile_end);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
