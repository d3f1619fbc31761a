#include "tests/kernels/attention_world.hpp"

#include "kernels/float16.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace neap::kernels::test {

attention_world::attention_world(const kernel_table& kernels, kv_shape shape, std::uint32_t positions,
                                 unsigned seed)
    : kernels_(kernels), shape_(shape) {
  const std::uint32_t blocks = (positions + 15) / 16;
  const std::size_t element = shape.type == kv_type::f16 ? 2 : 4;
  const std::size_t width = std::size_t{shape.kv_heads} * shape.head_size;
  keys_.assign(2 * blocks * kv_block_tokens * width * element, 0xFF);  // NaN wherever nothing is written
  values_ = keys_;
  layer_ = {keys_.data(), values_.data(), shape.type, shape.kv_heads, shape.head_size};
  std::vector<std::uint32_t> ids(2 * blocks);
  std::iota(ids.begin(), ids.end(), 0U);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
  table_.assign(ids.begin(), ids.begin() + blocks);
  second_table_.assign(ids.begin() + blocks, ids.end());
  queries_ = random_floats(std::size_t{positions} * shape.heads * shape.head_size, seed + 1);
  heads_.assign(shape.kv_heads, {{}, {}, shape.head_size});
  const std::vector<float> keys = random_floats(positions * width, seed + 2);
  const std::vector<float> values = random_floats(positions * width, seed + 3);
  for (std::uint32_t p = 0; p < positions; ++p) write(p, keys.data() + p * width, values.data() + p * width);
}

float attention_world::stored(float value) const {
  return shape_.type == kv_type::f16 ? float_from_f16(f16_from_float(value)) : value;
}

void attention_world::write(std::uint32_t position, const float* key, const float* value) {
  const std::uint32_t slot = position % kv_block_tokens;
  kernels_.kv_write(layer_, table_[position / kv_block_tokens], slot, key, value);
  kernels_.kv_write(layer_, second_table_[position / kv_block_tokens], slot, key, value);
  for (std::size_t head = 0; head < shape_.kv_heads; ++head)
    for (std::size_t d = 0; d < shape_.head_size; ++d) {
      heads_[head].keys.push_back(stored(key[head * shape_.head_size + d]));
      heads_[head].values.push_back(stored(value[head * shape_.head_size + d]));
    }
}

void attention_world::poison(std::uint32_t position) {
  const std::size_t width = std::size_t{shape_.kv_heads} * shape_.head_size;
  std::vector<float> broken(width, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < width; i += 3) broken[i] = std::numeric_limits<float>::infinity();
  set_position(position, broken, broken);
}

void attention_world::set_position(std::uint32_t position, const std::vector<float>& key,
                                   const std::vector<float>& value) {
  kernels_.kv_write(layer_, table_[position / kv_block_tokens], position % kv_block_tokens, key.data(),
                    value.data());
}

std::vector<float> attention_world::query(std::uint32_t position) const {
  const auto width = static_cast<std::ptrdiff_t>(shape_.heads) * shape_.head_size;
  const auto from = queries_.begin() + static_cast<std::ptrdiff_t>(position) * width;
  return {from, from + width};
}

void attention_world::scale_queries(float factor) {
  for (float& q : queries_) q *= factor;
}

void attention_world::run_heads(const std::vector<attention_span>& spans,
                                const std::vector<std::uint32_t>& table, std::uint32_t begin,
                                std::uint32_t end, std::vector<float>& out) const {
  const std::size_t width = std::size_t{shape_.heads} * shape_.head_size;
  std::vector<attention_row> rows;
  for (std::size_t i = 0; i < spans.size(); ++i)
    rows.push_back({queries_.data() + spans[i].position * width, out.data() + i * width, table.data(),
                    spans[i].position, spans[i].first});
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape_.head_size));
  kernels_.attention(layer_, rows.data(), rows.size(), shape_.heads, begin, end, scale);
}

std::vector<float> attention_world::run(const std::vector<attention_span>& spans,
                                        const std::vector<std::uint32_t>& table) const {
  std::vector<float> out(spans.size() * shape_.heads * shape_.head_size);
  run_heads(spans, table, 0, shape_.kv_heads, out);
  return out;
}

std::vector<double> attention_world::expected(attention_span span) const {
  std::vector<double> out;
  const std::size_t group = shape_.heads / shape_.kv_heads;
  const std::size_t size = shape_.head_size;
  for (std::size_t head = 0; head < shape_.heads; ++head) {
    const std::span<const float> query(queries_.data() + (span.position * shape_.heads + head) * size, size);
    const std::vector<double> one = reference::attention(
        heads_[head / group], query, span.first, span.position, 1.0 / std::sqrt(static_cast<double>(size)));
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

}  // namespace neap::kernels::test
