#include "backends/cpu/forward_pass.hpp"

#include <algorithm>
#include <array>

namespace neap::backend::cpu {
namespace {

using kernels::packed_kind;
using kernels::packed_lanes;
using kernels::packed_matrix;

constexpr std::size_t group_queries = 16;  // as unroll() makes them, at most

std::size_t tile_count(const packed_matrix& matrix) noexcept {
  return (matrix.rows + packed_lanes - 1) / packed_lanes;
}

// Several chunks a thread, so that a thread that is late gets less.
std::size_t chunk(std::size_t count, std::size_t threads) noexcept {
  return std::max<std::size_t>(count / (threads * 6), 1);
}

}  // namespace

void input_format::need(const packed_matrix& matrix) noexcept {
  if (matrix.kind == packed_kind::f32)
    floats = true;
  else if (matrix.group == 16)
    group16 = true;
  else
    group32 = true;
}

forward_pass::forward_pass(cpu_model& model, worker_pool& pool)
    : model_(model),
      config_(model.config()),
      kernels_(*model.kernels),
      arena_(model.arena),
      batch_(model.batch),
      pool_(pool),
      rows_(model.batch.tokens.size()) {}

void forward_pass::run() {
  const auto& layers = model_.weights.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& layer = layers[i];
    attention_input(i);
    multiply({{&layer.query, arena_.query}, {&layer.key, arena_.key}, {&layer.value, arena_.value}},
             hidden_rows());
    rotate_and_store(i);
    attend(i);
    quantize_phase(layer.output, attention_rows());
    multiply({{&layer.output, arena_.projected}}, attention_rows());
    feed_forward_input(i);
    gated(i);
    quantize_phase(layer.down, gated_rows());
    multiply({{&layer.down, arena_.projected}}, gated_rows());
  }
  pool_.for_range(rows_, row_grain(), [&](std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) add_projection(row, layers.back().post_feed_forward_norm);
  });
}

std::size_t forward_pass::row_grain() const noexcept { return chunk(rows_, pool_.size()); }

void forward_pass::embed(std::size_t row) const {
  const auto& table = *model_.weights.embedding;
  const auto& token = batch_.tokens[row];
  float* out = arena_.residual + row * config_.hidden;
  const auto bytes = kernels::row_bytes(table.type, config_.hidden);
  kernels::dequantize_row(table.type, table.data + static_cast<std::size_t>(token.token) * bytes,
                          config_.hidden, out);
  if (config_.embedding_scale != 1.0F)
    for (std::size_t i = 0; i < config_.hidden; ++i) out[i] *= config_.embedding_scale;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    const auto pairs = model_.rope[kind].inverse.size();
    rope_angles(model_.rope[kind], token.position, arena_.cos[kind] + row * pairs,
                arena_.sin[kind] + row * pairs);
  }
}

void forward_pass::add_projection(std::size_t row, const float* post_norm) const {
  float* projected = arena_.projected + row * config_.hidden;
  if (post_norm != nullptr)
    kernels_.rms_norm(projected, post_norm, config_.hidden, config_.norm_epsilon, projected);
  kernels_.add(arena_.residual + row * config_.hidden, projected, config_.hidden);
}

void forward_pass::normalise(std::size_t row, const float* norm, input_format format, bool fine) const {
  kernels_.rms_norm(arena_.residual + row * config_.hidden, norm, config_.hidden, config_.norm_epsilon,
                    arena_.narrow.values + row * config_.hidden);
  auto input = hidden_rows();
  input.fine = fine;
  quantize(input, format, row);
}

input_rows forward_pass::hidden_rows() const noexcept { return {&arena_.narrow, rows_, config_.hidden}; }

input_rows forward_pass::attention_rows() const noexcept {
  return {&arena_.narrow, rows_, std::size_t{config_.heads} * config_.head_size, true};
}

input_rows forward_pass::gated_rows() const noexcept { return {&arena_.wide, rows_, config_.feed_forward}; }

void forward_pass::quantize(const input_rows& input, input_format format, std::size_t row) const {
  const float* values = input.buffers->values + row * input.columns;
  const std::array<bool, 2> wanted{format.group16, format.group32};
  if (!wanted[0] && !wanted[1]) return;
  const bool all_fine = input.fine || model_.options.precision == precision::quantized_fine;
  const float fine_above = all_fine ? 0.0F : outlier_ratio * kernels_.root_mean_square(values, input.columns);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t group = 16U << i;
    if (wanted[i])
      kernels_.quantize_row(values, input.columns, group, fine_above,
                            input.buffers->quantized_row(group, row, input.columns));
  }
}

// Phase: rows that were written in parts by the phase before.
void forward_pass::quantize_phase(const packed_matrix& next, const input_rows& input) {
  input_format format;
  format.need(next);
  pool_.for_range(rows_, row_grain(), [&](std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) quantize(input, format, row);
  });
}

void forward_pass::attention_input(std::size_t index) {
  const auto& layer = model_.weights.layers[index];
  input_format format;
  for (const auto* matrix : {&layer.query, &layer.key, &layer.value}) format.need(*matrix);
  pool_.for_range(rows_, row_grain(), [&](std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) {
      if (index == 0)
        embed(row);
      else
        add_projection(row, model_.weights.layers[index - 1].post_feed_forward_norm);
      normalise(row, layer.attention_norm, format, true);
    }
  });
}

void forward_pass::tiles_of(const product& each, const input_rows& input, std::size_t begin,
                            std::size_t end) const {
  const auto& matrix = *each.matrix;
  if (matrix.kind == packed_kind::f32) {
    kernels_.matmul_f32(matrix, input.buffers->values, input.rows, begin, end, each.out, matrix.rows);
    return;
  }
  kernels_.matmul_quantized(matrix, input.buffers->quantized_rows(matrix.group, input.rows, matrix.columns),
                            begin, end, each.out, matrix.rows);
}

void forward_pass::multiply(std::initializer_list<product> products, const input_rows& input) {
  std::size_t total = 0;
  for (const auto& each : products) total += tile_count(*each.matrix);
  // Even, because kernels take two tiles at a time.
  pool_.for_range(total, chunk(total / 2, pool_.size()) * 2, [&](std::size_t begin, std::size_t end) {
    std::size_t first = 0;  // of the current product's tiles
    for (const auto& each : products) {
      const auto count = tile_count(*each.matrix);
      const auto from = std::max(begin, first) - first;
      const auto to = std::min(end, first + count);
      if (to > first + from) tiles_of(each, input, from, to - first);
      first += count;
    }
  });
}

void forward_pass::head_norms(float* heads, std::size_t count, const float* norm) const {
  for (std::size_t head = 0; head < count; ++head, heads += config_.head_size)
    kernels_.rms_norm(heads, norm, config_.head_size, config_.norm_epsilon, heads);
}

void forward_pass::rotate_and_store(std::size_t index) {
  const auto& layer = model_.weights.layers[index];
  const std::size_t kind = config_.is_sliding(static_cast<std::uint32_t>(index)) ? 1 : 0;
  const auto pairs = model_.rope[kind].inverse.size();
  const auto& rope = config_.rope;
  const auto pairing =
      rope.interleaved ? kernels::rope_pairing::interleaved : kernels::rope_pairing::half_split;
  const std::size_t query_width = std::size_t{config_.heads} * config_.head_size;
  const std::size_t kv_width = std::size_t{config_.kv_heads} * config_.head_size;
  pool_.for_range(rows_, row_grain(), [&](std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) {
      float* query = arena_.query + row * query_width;
      float* key = arena_.key + row * kv_width;
      float* value = arena_.value + row * kv_width;
      if (layer.query_bias != nullptr) kernels_.add(query, layer.query_bias, query_width);
      if (layer.key_bias != nullptr) kernels_.add(key, layer.key_bias, kv_width);
      if (layer.value_bias != nullptr) kernels_.add(value, layer.value_bias, kv_width);
      if (layer.query_norm != nullptr) head_norms(query, config_.heads, layer.query_norm);
      if (layer.key_norm != nullptr) head_norms(key, config_.kv_heads, layer.key_norm);
      const float* cos = arena_.cos[kind] + row * pairs;
      const float* sin = arena_.sin[kind] + row * pairs;
      kernels_.rope(pairing, query, config_.heads, config_.head_size, 2 * pairs, cos, sin);
      kernels_.rope(pairing, key, config_.kv_heads, config_.head_size, 2 * pairs, cos, sin);
      const auto& token = batch_.tokens[row];
      constexpr auto block = static_cast<std::uint32_t>(kernels::kv_block_tokens);
      kernels_.kv_write(model_.kv.layer(index), token.table[token.position / block], token.position % block,
                        key, value);
    }
  });
}

// One item is a group of queries and one KV head.
void forward_pass::attend(std::size_t index) {
  const std::size_t kv_heads = config_.kv_heads;
  pool_.for_range(batch_.groups.size() * kv_heads, 1, [&](std::size_t item, std::size_t) {
    attend_group(index, batch_.groups[item / kv_heads], item % kv_heads);
  });
}

void forward_pass::attend_group(std::size_t index, const query_group& group, std::size_t kv_head) {
  const std::size_t width = std::size_t{config_.heads} * config_.head_size;
  const bool sliding = config_.is_sliding(static_cast<std::uint32_t>(index));
  std::array<kernels::attention_row, group_queries> rows;
  for (std::size_t i = 0; i < group.count; ++i) {
    const auto& token = batch_.tokens[group.begin + i];
    const auto at = (group.begin + i) * width;
    const bool windowed = sliding && token.position >= config_.sliding_window;
    rows[i] = {arena_.query + at, arena_.narrow.values + at, token.table, token.position,
               windowed ? token.position - config_.sliding_window + 1 : 0};
  }
  kernels_.attention(model_.kv.layer(index), rows.data(), group.count, config_.heads,
                     static_cast<std::uint32_t>(kv_head), static_cast<std::uint32_t>(kv_head) + 1,
                     config_.attention_scale);
}

void forward_pass::feed_forward_input(std::size_t index) {
  const auto& layer = model_.weights.layers[index];
  input_format format;
  for (const auto* matrix : {&layer.gate, &layer.up}) format.need(*matrix);
  pool_.for_range(rows_, row_grain(), [&](std::size_t begin, std::size_t end) {
    for (auto row = begin; row < end; ++row) {
      add_projection(row, layer.post_attention_norm);
      normalise(row, layer.feed_forward_norm, format, false);
    }
  });
}

// Gate, up and activation of 32 features at a time, as kernels take two tiles.
void forward_pass::gated(std::size_t index) {
  const auto pairs = (tile_count(model_.weights.layers[index].gate) + 1) / 2;
  pool_.for_range(pairs, chunk(pairs, pool_.size()), [&](std::size_t begin, std::size_t end) {
    gated_tiles(index, 2 * begin, std::min(2 * end, tile_count(model_.weights.layers[index].gate)));
  });
}

void forward_pass::gated_tiles(std::size_t index, std::size_t begin, std::size_t end) {
  const auto& layer = model_.weights.layers[index];
  const std::size_t width = config_.feed_forward;
  tiles_of({&layer.gate, arena_.wide.values}, hidden_rows(), begin, end);
  tiles_of({&layer.up, arena_.up}, hidden_rows(), begin, end);
  const auto first = begin * packed_lanes;
  const auto count = std::min(end * packed_lanes, width) - first;
  const auto act = config_.gelu ? kernels::activation::gelu_tanh : kernels::activation::silu;
  for (std::size_t row = 0; row < rows_; ++row) {
    const auto at = row * width + first;
    kernels_.gated_activation(act, arena_.wide.values + at, arena_.up + at, count);
  }
}

}  // namespace neap::backend::cpu
