// Paged attention with online softmax.
//
// Queries (a row's heads that share a KV head, and rows that share a block table) are taken in tiles, so that
// a block's keys and values are loaded and converted once a tile. Each query keeps its own maximum, total and
// weighted sum and meets its blocks in ascending order with the same operations whatever the tile: results
// are those of a call with one row.

#include "kernels/cpu/attention_tile.hpp"
#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Rows of one sequence against one KV head.
struct head_rows {
  const kv_layer* kv;
  const attention_row* rows;
  std::size_t first_head;  // first query head of the KV head
  std::size_t group;       // query heads of the KV head
  std::size_t kv_head;
  float scale;
};

template <class T, int count>
[[gnu::noinline]] static void attend_tile(const head_rows& h, std::size_t first_query) {
  const std::size_t head_size = h.kv->head_size;
  const std::size_t head_elements = head_size * kv_block_tokens;
  query_tile<count> tile;
  std::uint32_t first = ~0U;
  std::uint32_t last = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const attention_row& row = h.rows[(first_query + q) / h.group];
    const std::size_t head = h.first_head + (first_query + q) % h.group;
    start_query(tile, q, row, head * head_size, head_size, h.scale);
    first = row.first < first ? row.first : first;
    last = row.position > last ? row.position : last;
  }
  const std::uint32_t* table = h.rows[first_query / h.group].table;
  for (std::size_t block = first / kv_block_tokens; block <= last / kv_block_tokens; ++block) {
    const std::size_t at = (std::size_t{table[block]} * h.kv->kv_heads + h.kv_head) * head_elements;
    attend_block(tile, static_cast<std::uint32_t>(block * kv_block_tokens),
                 static_cast<const T*>(h.kv->keys) + at, static_cast<const T*>(h.kv->values) + at, head_size);
  }
  finish_queries(tile, head_size);
}

// All queries of `h` in the largest tiles that fit.
template <class T>
static void attend_rows(const head_rows& h, std::size_t row_count) {
  const std::size_t queries = row_count * h.group;
  std::size_t q = 0;
  for (; q + max_tile_queries <= queries; q += max_tile_queries) attend_tile<T, max_tile_queries>(h, q);
  if constexpr (max_tile_queries > 4)
    for (; q + 4 <= queries; q += 4) attend_tile<T, 4>(h, q);
  if (queries - q == 3)
    attend_tile<T, 3>(h, q);
  else if (queries - q == 2)
    attend_tile<T, 2>(h, q);
  else if (queries - q == 1)
    attend_tile<T, 1>(h, q);
}

static std::size_t rows_of_same_table(const attention_row* rows, std::size_t count) {
  std::size_t same = 1;
  while (same < count && rows[same].table == rows[0].table) ++same;
  return same;
}

void attention(const kv_layer& kv, const attention_row* rows, std::size_t count, std::uint32_t heads,
               std::uint32_t kv_head_begin, std::uint32_t kv_head_end, float scale) {
  const std::size_t group = heads / kv.kv_heads;
  for (std::size_t done = 0; done < count;) {
    const std::size_t same = rows_of_same_table(rows + done, count - done);
    for (std::size_t kv_head = kv_head_begin; kv_head < kv_head_end; ++kv_head) {
      const head_rows h{.kv = &kv,
                        .rows = rows + done,
                        .first_head = kv_head * group,
                        .group = group,
                        .kv_head = kv_head,
                        .scale = scale};
      if (kv.type == kv_type::f16)
        attend_rows<std::uint16_t>(h, same);
      else
        attend_rows<float>(h, same);
    }
    done += same;
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
