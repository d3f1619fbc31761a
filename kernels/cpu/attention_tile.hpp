#pragma once
// A tile of attention queries meeting one KV block at a time.

#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/vector_math.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

inline constexpr std::size_t max_head_size = 256;

template <int count>
struct query_tile {
  float query[count][max_head_size];  // times the scale
  float sum[count][max_head_size];    // of values, weighted by exp(score - maximum)
  float weight[count][16];            // exp(score - maximum) of the current block
  float maximum[16] = {};             // a query; lanes past `count` idle
  float correction[16] = {};          // exp(old maximum - maximum)
  float total[count];                 // of the weights
  std::uint32_t begin[count];         // positions attended to
  std::uint32_t end[count];
  float* out[count];
};

// Lanes of one block that a query attends to: [begin, end), empty if equal.
struct lane_range {
  int begin;
  int end;
};

NEAP_INLINE int lane_of(std::uint32_t position, std::uint32_t block_begin) {
  if (position <= block_begin) return 0;
  const std::uint32_t lane = position - block_begin;
  return lane < kv_block_tokens ? static_cast<int>(lane) : static_cast<int>(kv_block_tokens);
}

template <int count>
static void start_query(query_tile<count>& tile, std::size_t q, const attention_row& row, std::size_t offset,
                        std::size_t head_size, float scale) {
  for (std::size_t d = 0; d < head_size; ++d) {
    tile.query[q][d] = row.query[offset + d] * scale;
    tile.sum[q][d] = 0.0F;
  }
  tile.maximum[q] = -__builtin_inff();
  tile.total[q] = 0.0F;
  tile.begin[q] = row.first;
  tile.end[q] = row.position + 1;
  tile.out[q] = row.out + offset;
}

// Scores of the block's 16 positions, one vector a query. Even and odd features are summed apart: twice the
// chains for short tiles.
template <class T, int count>
NEAP_INLINE void score_block(const query_tile<count>& tile, const T* keys, std::size_t head_size,
                             floats (&scores)[count]) {
  floats odd[count];
  for (int q = 0; q < count; ++q) scores[q] = odd[q] = zero();
  for (std::size_t d = 0; d < head_size; d += 2) {
    const floats even_keys = load_stored(keys + d * kv_block_tokens);
    const floats odd_keys = load_stored(keys + (d + 1) * kv_block_tokens);
#pragma GCC unroll 8
    for (int q = 0; q < count; ++q) {
      scores[q] = fma(broadcast(tile.query[q][d]), even_keys, scores[q]);
      odd[q] = fma(broadcast(tile.query[q][d + 1]), odd_keys, odd[q]);
    }
  }
  for (int q = 0; q < count; ++q) scores[q] = scores[q] + odd[q];
}

// Turns scores into weights and brings maxima, corrections and totals up to date. Queries with an empty range
// keep their state.
template <int count>
NEAP_INLINE void weigh_block(query_tile<count>& tile, const lane_range (&lanes)[count],
                             const floats (&scores)[count]) {
  const floats nothing = broadcast(-__builtin_inff());
  float old[16];
  store(load(tile.maximum), old);
  for (int q = 0; q < count; ++q) {
    if (lanes[q].begin == lanes[q].end) continue;
    const float largest = reduce_max(select_lanes(lanes[q].begin, lanes[q].end, scores[q], nothing));
    tile.maximum[q] = largest > old[q] ? largest : old[q];
  }
  store(exp(load(old) - load(tile.maximum)), tile.correction);
  for (int q = 0; q < count; ++q) {
    if (lanes[q].begin == lanes[q].end) continue;
    const floats all = exp(scores[q] - broadcast(tile.maximum[q]));
    const floats weights = select_lanes(lanes[q].begin, lanes[q].end, all, zero());
    store(weights, tile.weight[q]);
    tile.total[q] = tile.total[q] * tile.correction[q] + reduce_add(weights);
  }
}

// sum = sum * correction + weights * values for the queries [first, first + together) over the lanes given,
// and 16 * chunks features. `values` [16][head_size] and the sums begin at the same feature `d`.
template <int together, int chunks, class T, int count>
NEAP_INLINE void add_features(query_tile<count>& tile, int first, lane_range lanes, const T* values,
                              std::size_t head_size, std::size_t d) {
  floats sum[together][chunks];
  for (int q = 0; q < together; ++q)
    for (int c = 0; c < chunks; ++c)
      sum[q][c] = load(tile.sum[first + q] + d + 16 * c) * broadcast(tile.correction[first + q]);
  for (int lane = lanes.begin; lane < lanes.end; ++lane) {
    const T* at = values + static_cast<std::size_t>(lane) * head_size + d;
    floats value[chunks];
    for (int c = 0; c < chunks; ++c) value[c] = load_stored(at + 16 * c);
#pragma GCC unroll 8
    for (int q = 0; q < together; ++q) {
      const floats weight = broadcast(tile.weight[first + q][lane]);
      for (int c = 0; c < chunks; ++c) sum[q][c] = fma(weight, value[c], sum[q][c]);
    }
  }
  for (int q = 0; q < together; ++q)
    for (int c = 0; c < chunks; ++c) store(sum[q][c], tile.sum[first + q] + d + 16 * c);
}

// All features, as many at once as the registers hold.
template <int together, class T, int count>
NEAP_INLINE void add_values(query_tile<count>& tile, int first, lane_range lanes, const T* values,
                            std::size_t head_size) {
  constexpr int fitting = register_sums / together;
  constexpr int chunks = fitting >= 4 ? 4 : fitting >= 2 ? 2 : 1;
  std::size_t d = 0;
  for (; d + 16 * chunks <= head_size; d += 16 * chunks)
    add_features<together, chunks>(tile, first, lanes, values, head_size, d);
  for (; d < head_size; d += 16) add_features<together, 1>(tile, first, lanes, values, head_size, d);
}

// Block of positions [block_begin, block_begin + 16): keys [head_size][16], values [16][head_size]. Slots no
// query may see are never multiplied, whatever they hold.
template <class T, int count>
NEAP_INLINE void attend_block(query_tile<count>& tile, std::uint32_t block_begin, const T* keys,
                              const T* values, std::size_t head_size) {
  constexpr lane_range whole{0, static_cast<int>(kv_block_tokens)};
  lane_range lanes[count];
  bool all_whole = true;
  for (int q = 0; q < count; ++q) {
    lanes[q] = {lane_of(tile.begin[q], block_begin), lane_of(tile.end[q], block_begin)};
    all_whole = all_whole && lanes[q].begin == whole.begin && lanes[q].end == whole.end;
  }
  floats scores[count];
  score_block(tile, keys, head_size, scores);
  weigh_block(tile, lanes, scores);
  if (all_whole) return add_values<count>(tile, 0, whole, values, head_size);
  for (int q = 0; q < count; ++q)
    if (lanes[q].begin != lanes[q].end) add_values<1>(tile, q, lanes[q], values, head_size);
}

template <int count>
static void finish_queries(const query_tile<count>& tile, std::size_t head_size) {
  for (int q = 0; q < count; ++q) {
    const float inverse = 1.0F / tile.total[q];
    for (std::size_t d = 0; d < head_size; ++d) tile.out[q][d] = tile.sum[q][d] * inverse;
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
