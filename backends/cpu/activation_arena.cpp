#include "backends/cpu/activation_arena.hpp"

#include <algorithm>

namespace neap::backend::cpu {
namespace {

// Runs the same code twice: once to measure, once to hand out pointers.
class arena_builder {
 public:
  explicit arena_builder(std::byte* base) : base_(base) {}

  template <class T>
  void place(T*& out, std::size_t count) {
    const auto offset = layout_.add(count * sizeof(T));
    if (base_ != nullptr) out = reinterpret_cast<T*>(base_ + offset);
  }

  void place(matrix_input& out, std::size_t rows, std::size_t columns) {
    place(out.values, rows * columns);
    std::size_t group = 16;
    for (auto& each : out.quantized) {
      const auto groups = rows * (columns / group + 1);
      place(each.codes8, rows * columns);
      place(each.codes16, rows * columns);
      place(each.fine, groups);
      place(each.scales, groups);
      place(each.sums, groups);
      group *= 2;
    }
  }

  std::size_t size() const noexcept { return layout_.size(); }

 private:
  std::byte* base_;
  layout layout_;
};

void build(arena_builder& builder, activation_arena& arena, const model::model_config& config,
           std::size_t tokens) {
  const std::size_t query_width = std::size_t{config.heads} * config.head_size;
  const std::size_t kv_width = std::size_t{config.kv_heads} * config.head_size;
  const std::size_t hidden = config.hidden;
  builder.place(arena.residual, tokens * hidden);
  builder.place(arena.narrow, tokens, std::max(hidden, query_width));
  builder.place(arena.wide, tokens, config.feed_forward);
  builder.place(arena.query, tokens * query_width);
  builder.place(arena.key, tokens * kv_width);
  builder.place(arena.value, tokens * kv_width);
  builder.place(arena.up, tokens * config.feed_forward);
  builder.place(arena.projected, tokens * hidden);
  for (std::size_t kind = 0; kind < 2; ++kind) {
    builder.place(arena.cos[kind], tokens * config.head_size / 2);
    builder.place(arena.sin[kind], tokens * config.head_size / 2);
  }
  builder.place(arena.logits, activation_arena::output_rows * config.vocabulary);
}

}  // namespace

kernels::quantized_row matrix_input::quantized_row(std::uint32_t group, std::size_t row,
                                                   std::size_t columns) const noexcept {
  const auto& first = quantized[group == 16 ? 0 : 1];
  const auto at = row * columns;
  const auto group_at = at / group;
  return {first.codes8 + at, first.codes16 + at, first.fine + group_at, first.scales + group_at,
          first.sums + group_at};
}

kernels::quantized_rows matrix_input::quantized_rows(std::uint32_t group, std::size_t rows,
                                                     std::size_t columns) const noexcept {
  const auto& first = quantized[group == 16 ? 0 : 1];
  return {first.codes8, first.codes16, first.fine, first.scales, first.sums, rows, columns, group};
}

activation_arena make_arena(const model::model_config& config, std::size_t tokens) {
  activation_arena arena;
  // The output stage reuses `narrow` and `residual` for up to output_rows rows.
  const auto rows = std::max(tokens, activation_arena::output_rows);
  arena_builder measure(nullptr);
  build(measure, arena, config, rows);
  arena.memory = mapped_memory::reserve(measure.size());
  if (arena.memory.data() == nullptr) return arena;
  arena_builder builder(arena.memory.data());
  build(builder, arena, config, rows);
  return arena;
}

}  // namespace neap::backend::cpu
