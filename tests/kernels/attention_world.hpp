#pragma once
// A sequence in a paged KV store, written twice to different blocks, and queries against it.

#include "kernels/reference/reference.hpp"
#include "tests/kernels/kernel_fixture.hpp"

namespace neap::kernels::test {

struct kv_shape {
  std::uint32_t heads, kv_heads, head_size;
  kv_type type;
};

// A query attends to the positions [first, position].
struct attention_span {
  std::uint32_t first, position;
};

class attention_world {
 public:
  attention_world(const kernel_table& kernels, kv_shape shape, std::uint32_t positions, unsigned seed);

  const std::vector<std::uint32_t>& table() const { return table_; }
  const std::vector<std::uint32_t>& second_table() const { return second_table_; }

  // Attention of one row a span, [spans][heads][head_size]. A span's query depends on its position alone.
  std::vector<float> run(const std::vector<attention_span>& spans,
                         const std::vector<std::uint32_t>& table) const;
  // The same for the KV heads [begin, end) only, into `out`.
  void run_heads(const std::vector<attention_span>& spans, const std::vector<std::uint32_t>& table,
                 std::uint32_t begin, std::uint32_t end, std::vector<float>& out) const;
  // The row of one span in double precision.
  std::vector<double> expected(attention_span span) const;

  // Overwrites a position's keys and values with NaN and infinity.
  void poison(std::uint32_t position);
  // Overwrites a position's keys and values in the blocks of table().
  void set_position(std::uint32_t position, const std::vector<float>& key, const std::vector<float>& value);
  // The query of a position, [heads][head_size].
  std::vector<float> query(std::uint32_t position) const;
  void scale_queries(float factor);

 private:
  void write(std::uint32_t position, const float* key, const float* value);
  float stored(float value) const;  // as the store's type keeps it

  const kernel_table& kernels_;
  kv_shape shape_;
  kv_layer layer_;
  std::vector<std::uint8_t> keys_, values_;
  std::vector<std::uint32_t> table_, second_table_;
  std::vector<float> queries_;
  std::vector<reference::sequence_kv> heads_;
};

}  // namespace neap::kernels::test
