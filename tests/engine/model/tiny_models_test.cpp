// Sound files of every family open, and what they say arrives in the configuration.

#include "engine/model/model_file.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace neap::test {
namespace {

using model::model_config;
using model::model_family;
using model::rope_scaling;

result<model::model_file> open(const gguf_writer& writer) {
  const temporary_file file{writer.bytes()};
  return model::open_model(file.path());
}

model_config config_of(const gguf_writer& writer) {
  const auto opened = open(writer);
  if (opened) return opened->config;
  ADD_FAILURE() << opened.error().message;
  return {};
}

TEST(tiny_models, llama) {
  const auto file = open(tiny_gguf({.tied = false}));
  ASSERT_TRUE(file) << file.error().message;
  const auto& config = file->config;
  EXPECT_EQ(config.family, model_family::llama);
  EXPECT_EQ(config.name, "tiny llama");
  EXPECT_EQ(config.layers, 2U);
  EXPECT_EQ(config.hidden, 32U);
  EXPECT_EQ(config.feed_forward, 64U);
  EXPECT_EQ(config.heads, 2U);
  EXPECT_EQ(config.kv_heads, 1U);
  EXPECT_EQ(config.head_size, 16U);
  EXPECT_EQ(config.vocabulary, tiny_bpe_tokens().size());
  EXPECT_EQ(config.context_length, 128U);
  EXPECT_FLOAT_EQ(config.attention_scale, 0.25F);
  EXPECT_EQ(config.embedding_scale, 1.0F);
  EXPECT_FALSE(config.gelu);
  EXPECT_TRUE(config.rope.interleaved);
  EXPECT_EQ(config.rope.rotary, 16U);
  EXPECT_FALSE(config.is_sliding(0));
  EXPECT_EQ(file->tensors.layers.size(), 2U);
  EXPECT_NE(file->tensors.output, file->tensors.embedding);
  EXPECT_EQ(file->tensors.layers[0].query_bias, nullptr);
  EXPECT_EQ(file->tensors.rope_factors, nullptr);
}

TEST(tiny_models, qwen2_has_biases_and_half_split_pairs) {
  const auto file = open(tiny_gguf({.architecture = "qwen2"}));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->config.family, model_family::qwen2);
  EXPECT_FALSE(file->config.rope.interleaved);
  for (const auto& layer : file->tensors.layers) {
    EXPECT_TRUE(layer.query_bias && layer.key_bias && layer.value_bias);
    EXPECT_EQ(layer.query_norm, nullptr);
  }
  EXPECT_EQ(file->tensors.output, file->tensors.embedding);
}

TEST(tiny_models, gemma3_alternates_windows) {
  auto writer = tiny_gguf({.architecture = "gemma3", .layers = 12});
  writer.real("gemma3.rope.freq_base", 1e6F).text("gemma3.rope.scaling.type", "linear");
  const auto file = open(writer.real("gemma3.rope.scaling.factor", 8));
  ASSERT_TRUE(file) << file.error().message;
  const auto& config = file->config;
  EXPECT_TRUE(config.gelu);
  EXPECT_FLOAT_EQ(config.embedding_scale, std::sqrt(32.0F));
  EXPECT_EQ(config.sliding_window, 16U);
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(config.is_sliding(i), i != 5 && i != 11) << i;
  EXPECT_FLOAT_EQ(config.rope.base, 1e6F);
  EXPECT_EQ(config.rope.scaling, rope_scaling::linear);
  EXPECT_FLOAT_EQ(config.rope.factor, 8);
  EXPECT_FLOAT_EQ(config.local_rope.base, 10000);
  EXPECT_EQ(config.local_rope.scaling, rope_scaling::none);
  EXPECT_EQ(config.local_rope.rotary, 16U);
  for (const auto& layer : file->tensors.layers)
    EXPECT_TRUE(layer.query_norm && layer.key_norm && layer.post_attention_norm &&
                layer.post_feed_forward_norm);
}

TEST(tiny_models, gemma3_of_62_layers_scales_by_width_per_head) {
  EXPECT_FLOAT_EQ(
      config_of(tiny_gguf({.architecture = "gemma3", .layers = 61, .hidden = 64})).attention_scale, 0.25F);
  EXPECT_FLOAT_EQ(
      config_of(tiny_gguf({.architecture = "gemma3", .layers = 62, .hidden = 64})).attention_scale,
      1 / std::sqrt(32.0F));
}

TEST(tiny_models, gemma3_reads_another_pattern) {
  auto writer = tiny_gguf({.architecture = "gemma3", .layers = 4});
  const auto config = config_of(writer.number("gemma3.attention.sliding_window_pattern", 2));
  EXPECT_TRUE(config.is_sliding(0));
  EXPECT_FALSE(config.is_sliding(1));
}

TEST(tiny_models, defaults_of_absent_keys) {
  auto writer = tiny_gguf({.kv_heads = 2});
  for (const auto* key : {"attention.head_count_kv", "attention.key_length", "attention.value_length"})
    writer.remove(std::string{"llama."} + key);
  writer.remove("general.name").remove("llama.rope.freq_base");
  const temporary_file file{writer.bytes(), "tiny-\xE9.gguf"};
  const auto opened = model::open_model(file.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config.kv_heads, 2U);
  EXPECT_EQ(opened->config.head_size, 16U);
  EXPECT_FLOAT_EQ(opened->config.rope.base, 10000);
  EXPECT_EQ(opened->config.name, "tiny-\\xe9");
}

TEST(tiny_models, names_are_made_printable) {
  const auto config = config_of(tiny_gguf().text("general.name", "a\n\xFF" + std::string(1000, 'b')));
  EXPECT_EQ(config.name.substr(0, 7), "a\\x0a\\x");
  EXPECT_LE(config.name.size(), 200U);
}

TEST(tiny_models, rope_scaling) {
  const auto scaled = [](gguf_writer writer) { return config_of(writer).rope; };
  EXPECT_EQ(scaled(tiny_gguf()).scaling, rope_scaling::none);
  const auto yarn = scaled(tiny_gguf()
                               .text("llama.rope.scaling.type", "yarn")
                               .real("llama.rope.scaling.factor", 4)
                               .number("llama.rope.scaling.original_context_length", 32));
  EXPECT_EQ(yarn.scaling, rope_scaling::yarn);
  EXPECT_EQ(yarn.original_context, 32U);
  for (const std::string key : {"llama.rope.scaling.factor", "llama.rope.scale_linear"}) {
    const auto old = scaled(tiny_gguf().real(key, 4));
    EXPECT_EQ(old.scaling, rope_scaling::linear) << key;
    EXPECT_EQ(old.factor, 4.0F);
  }
  auto with_factors = tiny_gguf();
  std::string factors;
  for (int i = 0; i < 8; ++i) factors += raw_number(static_cast<float>(i + 1));
  const auto file = open(with_factors.tensor("rope_freqs.weight", {8}, 0, factors));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_NE(file->tensors.rope_factors, nullptr);
}

TEST(tiny_models, neutral_values_of_variants_are_accepted) {
  auto writer = tiny_gguf();
  writer.number("llama.expert_count", 0).flag("llama.attention.causal", true);
  writer.real("llama.rope.scaling.attn_factor", 1).real("llama.attn_logit_softcapping", 0);
  writer.text("general.type", "model").number("general.quantization_version", 2);
  writer.number("llama.vocab_size", static_cast<std::uint32_t>(tiny_bpe_tokens().size()));
  EXPECT_EQ(config_of(writer).layers, 2U);
}

TEST(tiny_models, versions_2_and_3_and_any_alignment) {
  for (const std::uint32_t alignment : {8U, 32U, 4096U})
    for (const std::uint32_t version : {2U, 3U}) {
      auto writer = tiny_gguf({.q8_0 = true}).number("general.alignment", alignment);
      writer.alignment = alignment;
      writer.version = version;
      const auto file = open(writer);
      ASSERT_TRUE(file) << file.error().message;
      for (const auto& each : writer.tensors) {
        const auto* tensor = file->file.find_tensor(each.name);
        ASSERT_NE(tensor, nullptr);
        ASSERT_EQ(tensor->bytes, each.data.size());
        EXPECT_EQ(std::memcmp(tensor->data, each.data.data(), each.data.size()), 0) << each.name;
      }
    }
}

}  // namespace
}  // namespace neap::test
