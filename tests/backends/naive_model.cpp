#include "tests/backends/naive_model.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace neap::test {
namespace {

using row = std::vector<double>;

row tensor_row(const model::gguf_tensor& tensor, std::size_t index) {
  const std::size_t columns = tensor.shape[0];
  std::vector<float> values(columns);
  kernels::dequantize_row(tensor.type, tensor.data + index * kernels::row_bytes(tensor.type, columns),
                          columns, values.data());
  return {values.begin(), values.end()};
}

void add(row& x, const row& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

double dot(const double* x, const double* y, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// YaRN as its paper states it, in wavelengths: r = original context / wavelength turns.
double yarn_frequency(const model::rope_config& rope, double frequency, std::size_t pair) {
  const auto dimension_of = [&](double turns) {
    return rope.rotary * std::log(rope.original_context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(static_cast<double>(rope.base)));
  };
  const double low = std::max(std::floor(dimension_of(32)), 0.0);
  const double high = std::min(std::ceil(dimension_of(1)), rope.rotary - 1.0);
  const double ramp = std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
  return frequency * ((1 - ramp) + ramp / static_cast<double>(rope.factor));
}

}  // namespace

row naive_model::multiply(const model::gguf_tensor& matrix, const row& x) const {
  row out;
  for (std::size_t i = 0; i < matrix.shape[1]; ++i)
    out.push_back(dot(tensor_row(matrix, i).data(), x.data(), x.size()));
  return out;
}

row naive_model::normalised(const row& x, const model::gguf_tensor* weight) const {
  const double mean = dot(x.data(), x.data(), x.size()) / static_cast<double>(x.size());
  const double scale = 1 / std::sqrt(mean + static_cast<double>(file_.config.norm_epsilon));
  const row weights = tensor_row(*weight, 0);
  row out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * scale * weights[i];
  return out;
}

void naive_model::normalise_heads(row& heads, const model::gguf_tensor* weight) const {
  if (weight == nullptr) return;
  const auto size = static_cast<std::ptrdiff_t>(file_.config.head_size);
  for (auto head = heads.begin(); head != heads.end(); head += size) {
    const row out = normalised({head, head + size}, weight);
    std::copy(out.begin(), out.end(), head);
  }
}

void naive_model::rotate(row& heads, std::size_t position, bool sliding) const {
  const auto& config = file_.config;
  const auto& rope = sliding ? config.local_rope : config.rope;
  const auto* factors = sliding ? nullptr : file_.tensors.rope_factors;
  const std::size_t pairs = rope.rotary / 2;
  const double magnitude =
      rope.scaling == model::rope_scaling::yarn ? 0.1 * std::log(static_cast<double>(rope.factor)) + 1 : 1.0;
  for (std::size_t head = 0; head < heads.size(); head += config.head_size)
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      double frequency = std::pow(static_cast<double>(rope.base),
                                  -2.0 * static_cast<double>(pair) / static_cast<double>(rope.rotary));
      if (factors != nullptr) frequency /= tensor_row(*factors, 0)[pair];
      if (rope.scaling == model::rope_scaling::linear) frequency /= static_cast<double>(rope.factor);
      if (rope.scaling == model::rope_scaling::yarn) frequency = yarn_frequency(rope, frequency, pair);
      const std::size_t first = head + (rope.interleaved ? 2 * pair : pair);
      const std::size_t second = head + (rope.interleaved ? 2 * pair + 1 : pair + pairs);
      const auto turned = std::complex(heads[first], heads[second]) *
                          std::polar(magnitude, static_cast<double>(position) * frequency);
      heads[first] = turned.real();
      heads[second] = turned.imag();
    }
}

std::vector<row> naive_model::attention(std::size_t index, const std::vector<row>& x) const {
  const auto& config = file_.config;
  const auto& layer = file_.tensors.layers[index];
  const bool sliding = config.is_sliding(static_cast<std::uint32_t>(index));
  std::vector<row> queries, keys, values, results;
  for (std::size_t position = 0; position < x.size(); ++position) {
    const row in = normalised(x[position], layer.attention_norm);
    row query = multiply(*layer.query, in);
    row key = multiply(*layer.key, in);
    row value = multiply(*layer.value, in);
    if (layer.query_bias != nullptr) add(query, tensor_row(*layer.query_bias, 0));
    if (layer.key_bias != nullptr) add(key, tensor_row(*layer.key_bias, 0));
    if (layer.value_bias != nullptr) add(value, tensor_row(*layer.value_bias, 0));
    normalise_heads(query, layer.query_norm);
    normalise_heads(key, layer.key_norm);
    rotate(query, position, sliding);
    rotate(key, position, sliding);
    queries.push_back(query);
    keys.push_back(key);
    values.push_back(value);
  }
  const std::size_t size = config.head_size;
  for (std::size_t position = 0; position < x.size(); ++position) {
    const std::size_t window = sliding ? config.sliding_window : x.size();
    const std::size_t first = position + 1 > window ? position + 1 - window : 0;
    row joined(std::size_t{config.heads} * size, 0.0);
    for (std::size_t head = 0; head < config.heads; ++head) {
      const std::size_t kv = head / (config.heads / config.kv_heads) * size;
      double total = 0;
      for (auto past = first; past <= position; ++past) {
        const double weight = std::exp(dot(&queries[position][head * size], &keys[past][kv], size) *
                                       static_cast<double>(config.attention_scale));
        total += weight;
        for (std::size_t i = 0; i < size; ++i) joined[head * size + i] += weight * values[past][kv + i];
      }
      for (std::size_t i = 0; i < size; ++i) joined[head * size + i] /= total;
    }
    results.push_back(multiply(*layer.output, joined));
  }
  return results;
}

row naive_model::feed_forward(std::size_t index, const row& x) const {
  const auto& layer = file_.tensors.layers[index];
  const row in = normalised(x, layer.feed_forward_norm);
  row gate = multiply(*layer.gate, in);
  const row up = multiply(*layer.up, in);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double g = gate[i];
    const double act =
        file_.config.gelu
            ? 0.5 * g * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (g + 0.044715 * g * g * g)))
            : g / (1 + std::exp(-g));
    gate[i] = act * up[i];
  }
  return multiply(*layer.down, gate);
}

std::vector<row> naive_model::final_states(std::span<const token_id> tokens) const {
  std::vector<row> x;
  for (const auto token : tokens) {
    x.push_back(tensor_row(*file_.tensors.embedding, static_cast<std::size_t>(token)));
    for (auto& value : x.back()) value *= static_cast<double>(file_.config.embedding_scale);
  }
  for (std::size_t index = 0; index < file_.tensors.layers.size(); ++index) {
    const auto& layer = file_.tensors.layers[index];
    const auto attended = attention(index, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      add(x[i], layer.post_attention_norm != nullptr ? normalised(attended[i], layer.post_attention_norm)
                                                     : attended[i]);
      row out = feed_forward(index, x[i]);
      if (layer.post_feed_forward_norm != nullptr) out = normalised(out, layer.post_feed_forward_norm);
      add(x[i], out);
    }
  }
  for (auto& state : x) state = normalised(state, file_.tensors.output_norm);
  return x;
}

std::vector<double> naive_model::logits(std::span<const token_id> tokens) const {
  return multiply(*file_.tensors.output, final_states(tokens).back());
}

std::vector<double> naive_model::mean_hidden(std::span<const token_id> tokens) const {
  row out(file_.config.hidden, 0.0);
  for (const auto& state : final_states(tokens)) add(out, state);
  for (auto& value : out) value /= static_cast<double>(tokens.size());
  return out;
}

}  // namespace neap::test
