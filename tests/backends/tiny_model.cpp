#include "tests/backends/tiny_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <unistd.h>
#include <utility>
#include <vector>

namespace neap::test {
namespace {

class byte_writer {
 public:
  template <class T>
  void number(T value) {
    const auto* from = reinterpret_cast<const char*>(&value);
    bytes_.append(from, sizeof value);
  }
  void text(const std::string& value) {
    number<std::uint64_t>(value.size());
    bytes_ += value;
  }
  void pad(std::size_t alignment) {
    while (bytes_.size() % alignment != 0) bytes_ += '\0';
  }
  void append(const std::string& bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Rounds towards zero; exact enough for the scale of a block, which the codes then follow.
std::uint16_t to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto exponent = static_cast<int>(bits >> 23 & 0xFF) - 112;
  if (exponent <= 0) return 0;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | static_cast<std::uint32_t>(exponent) << 10 |
                                    (bits >> 13 & 0x3FF));
}

std::string as_floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Q8_0: blocks of 32 with one half-precision scale. Dividing by 126 leaves room for its rounding.
std::string as_q8_0(const std::vector<float>& values) {
  std::string bytes;
  for (std::size_t i = 0; i < values.size(); i += 32) {
    float largest = 0;
    for (std::size_t j = 0; j < 32; ++j) largest = std::max(largest, std::abs(values[i + j]));
    const auto half = to_half(largest / 126);
    bytes.append(reinterpret_cast<const char*>(&half), 2);
    for (std::size_t j = 0; j < 32; ++j)
      bytes += static_cast<char>(static_cast<std::int8_t>(std::lround(values[i + j] / (largest / 126))));
  }
  return bytes;
}

class tiny_writer {
 public:
  explicit tiny_writer(const tiny_options& options) : o_(options), random_(7) {}

  std::string file() {
    add_tensors();
    byte_writer out;
    out.append("GGUF");
    out.number<std::uint32_t>(3);
    out.number<std::uint64_t>(tensors_.size());
    write_metadata(out);
    std::uint64_t offset = 0;
    for (const auto& each : tensors_) {
      out.text(each.name);
      out.number(static_cast<std::uint32_t>(each.shape.size()));
      for (const auto dimension : each.shape) out.number(dimension);
      out.number(each.type);
      out.number(offset);
      offset += (each.data.size() + 31) / 32 * 32;
    }
    for (const auto& each : tensors_) {
      out.pad(32);
      out.append(each.data);
    }
    out.pad(32);
    return out.bytes();
  }

 private:
  struct tensor {
    std::string name;
    std::vector<std::uint64_t> shape;
    std::uint32_t type;
    std::string data;
  };

  std::map<std::string, double> numbers() const {
    std::map<std::string, double> all{{"block_count", o_.layers},
                                      {"embedding_length", o_.hidden},
                                      {"feed_forward_length", o_.feed_forward},
                                      {"attention.head_count", o_.heads},
                                      {"attention.head_count_kv", o_.kv_heads},
                                      {"attention.key_length", o_.head_size},
                                      {"attention.value_length", o_.head_size},
                                      {"context_length", 256}};
    for (const auto& [key, value] : o_.numbers) all[key] = value;
    return all;
  }

  // Whole numbers as u32, others as f32; the norm's epsilon and all of RoPE's as the format has them.
  void write_metadata(byte_writer& out) const {
    const auto all = numbers();
    out.number<std::uint64_t>(all.size() + (o_.rope_scaling.empty() ? 2 : 3));
    const auto text = [&](const std::string& key, const std::string& value) {
      out.text(key);
      out.number<std::uint32_t>(8);
      out.text(value);
    };
    text("general.architecture", o_.architecture);
    if (!o_.rope_scaling.empty()) text(o_.architecture + ".rope.scaling.type", o_.rope_scaling);
    const auto real = [&](const std::string& key, double value) {
      out.text(o_.architecture + "." + key);
      out.number<std::uint32_t>(6);
      out.number(static_cast<float>(value));
    };
    real("attention.layer_norm_rms_epsilon", 1e-5);
    for (const auto& [key, value] : all) {
      if (key == "rope.freq_base" || key == "rope.scaling.factor") {
        real(key, value);
        continue;
      }
      out.text(o_.architecture + "." + key);
      out.number<std::uint32_t>(4);
      out.number(static_cast<std::uint32_t>(value));
    }
  }

  std::vector<float> random_values(std::size_t count, float mean, float spread) {
    std::normal_distribution<float> normal(mean, spread);
    std::vector<float> values(count);
    for (auto& x : values) x = normal(random_);
    return values;
  }

  void vector(const std::string& name, std::uint64_t size, float mean) {
    tensors_.push_back({name, {size}, 0, as_floats(random_values(size, mean, 0.3F))});
  }

  void matrix(const std::string& name, std::uint64_t in, std::uint64_t out, float spread) {
    const auto values = random_values(in * out, 0, spread);
    tensors_.push_back(
        {name, {in, out}, o_.quantized ? 8U : 0U, o_.quantized ? as_q8_0(values) : as_floats(values)});
  }

  void embedding() {
    auto values = random_values(std::size_t{o_.hidden} * o_.vocabulary, 0, 1);
    if (o_.broken_token >= 0)
      std::fill_n(values.begin() + o_.broken_token * static_cast<std::ptrdiff_t>(o_.hidden), o_.hidden,
                  std::numeric_limits<float>::quiet_NaN());
    tensors_.push_back({"token_embd.weight", {o_.hidden, o_.vocabulary}, 0, as_floats(values)});
  }

  void layer(const std::string& p) {
    const auto query_width = o_.heads * o_.head_size;
    const auto kv_width = o_.kv_heads * o_.head_size;
    vector(p + "attn_norm.weight", o_.hidden, 1);
    matrix(p + "attn_q.weight", o_.hidden, query_width, 0.2F);
    matrix(p + "attn_k.weight", o_.hidden, kv_width, 0.2F);
    matrix(p + "attn_v.weight", o_.hidden, kv_width, 0.2F);
    matrix(p + "attn_output.weight", query_width, o_.hidden, 0.2F);
    if (o_.architecture == "qwen2") {
      vector(p + "attn_q.bias", query_width, 0.5F);
      vector(p + "attn_k.bias", kv_width, 0.5F);
      vector(p + "attn_v.bias", kv_width, 0.5F);
    }
    if (o_.architecture == "gemma3") {
      vector(p + "attn_q_norm.weight", o_.head_size, 1);
      vector(p + "attn_k_norm.weight", o_.head_size, 1);
      vector(p + "post_attention_norm.weight", o_.hidden, 1);
      vector(p + "post_ffw_norm.weight", o_.hidden, 1);
    }
    vector(p + "ffn_norm.weight", o_.hidden, 1);
    matrix(p + "ffn_gate.weight", o_.hidden, o_.feed_forward, 0.2F);
    matrix(p + "ffn_up.weight", o_.hidden, o_.feed_forward, 0.2F);
    matrix(p + "ffn_down.weight", o_.feed_forward, o_.hidden, 0.2F);
  }

  void add_tensors() {
    embedding();
    vector("output_norm.weight", o_.hidden, 1);
    if (!o_.tied) matrix("output.weight", o_.hidden, o_.vocabulary, 0.3F);
    if (o_.rope_factors) {
      auto factors = random_values(o_.head_size / 2, 4, 1);
      tensors_.push_back({"rope_freqs.weight", {factors.size()}, 0, as_floats(factors)});
    }
    for (std::uint32_t i = 0; i < o_.layers; ++i) layer("blk." + std::to_string(i) + ".");
  }

  const tiny_options& o_;
  std::mt19937 random_;
  std::vector<tensor> tensors_;
};

}  // namespace

std::shared_ptr<const model::model_file> make_tiny_model(const tiny_options& options) {
  const auto path =
      std::filesystem::temp_directory_path() / ("neap-tiny-" + std::to_string(getpid()) + ".gguf");
  std::ofstream(path, std::ios::binary) << tiny_writer(options).file();
  auto opened = model::open_model(path);
  std::filesystem::remove(path);
  if (opened) return std::make_shared<const model::model_file>(std::move(*opened));
  ADD_FAILURE() << opened.error().message;
  return nullptr;
}

}  // namespace neap::test
