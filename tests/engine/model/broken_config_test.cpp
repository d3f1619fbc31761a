// R1: well-formed files that are no model this build can run, each class with three seeds.

#include "tests/engine/model/refusal.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace neap::test {
namespace {

using model::gguf_type;

// A whole number out of range under a key of the family.
broken_class size_class(const std::string& key, std::vector<std::uint32_t> wrong) {
  auto name = key + "_out_of_range";
  for (auto& c : name)
    if (c == '.') c = '_';
  return {name, [=](gguf_writer& file, seeded_random& random) {
            const auto value = wrong[random() % wrong.size()];
            file.number("llama." + key, value);
            return "llama." + key;
          }};
}

// A key that must be absent or neutral.
broken_class variant_class(const std::string& key) {
  auto name = key + "_not_supported";
  for (auto& c : name)
    if (c == '.') c = '_';
  return {name,
          [=](gguf_writer& file, seeded_random& random) {
            file.number("llama." + key, 2 + random() % 30);
            return "llama." + key;
          },
          error_code::unsupported_model};
}

broken_class number_class(const std::string& name, const std::string& key, float value) {
  return {name, [=](gguf_writer& file, seeded_random&) {
            file.real("llama." + key, value);
            return "llama." + key;
          }};
}

const std::vector<broken_class> sizes{
    size_class("block_count", {0, 1025, 0xFFFFFFFF}),
    size_class("embedding_length", {0, 15, 65537, 0xFFFFFFFF}),
    size_class("feed_forward_length", {0, 15, 0xFFFFFFFF}),
    size_class("context_length", {0, 0xFFFFFFFF}),
    size_class("attention.head_count", {0, 1025, 0xFFFFFFFF}),
    size_class("attention.head_count_kv", {0, 3, 4, 1025}),
    size_class("attention.key_length", {0, 8, 24, 257, 272, 0xFFFFFFFF}),
    size_class("attention.value_length", {0, 32, 48}),
    size_class("attention.sliding_window", {0xFFFFFFFF}),
    size_class("rope.dimension_count", {0, 1, 7, 18, 0xFFFFFFFF}),
    size_class("rope.scaling.original_context_length", {0, 0xFFFFFFFF}),
    number_class("epsilon_negative", "attention.layer_norm_rms_epsilon", -1e-5F),
    number_class("epsilon_not_a_number", "attention.layer_norm_rms_epsilon", std::nanf("")),
    number_class("rope_base_zero", "rope.freq_base", 0),
    number_class("rope_base_one", "rope.freq_base", 1),
    number_class("rope_base_infinite", "rope.freq_base", std::numeric_limits<float>::infinity()),
    number_class("rope_factor_zero", "rope.scaling.factor", 0),
    number_class("rope_old_factor_negative", "rope.scale_linear", -4),
};

const std::vector<broken_class> variants{
    variant_class("expert_count"),
    variant_class("attn_logit_softcapping"),
    variant_class("final_logit_softcapping"),
    variant_class("attention.max_alibi_bias"),
    variant_class("attention.clamp_kqv"),
    variant_class("attention.temperature_length"),
    variant_class("attention.scale"),
    variant_class("logit_scale"),
    variant_class("interleave_moe_layer_step"),
    variant_class("rope.scaling.attn_factor"),
    variant_class("rope.scaling.yarn_beta_fast"),
    {"attention_not_causal",
     [](auto& file, auto&) {
       file.flag("llama.attention.causal", false);
       return "llama.attention.causal";
     },
     error_code::unsupported_model},
    {"architecture_not_known",
     [](auto& file, auto& random) {
       const std::string name = std::vector<std::string>{"mamba", "LLAMA", "llama4"}[random() % 3];
       file.text("general.architecture", name);
       return "architecture '" + name + "' is not supported; supported: llama, qwen2, gemma3";
     },
     error_code::unsupported_model},
    {"architecture_of_bytes_that_are_no_text",
     [](auto& file, auto& random) {
       file.text("general.architecture", "\xFF\n" + std::string(1 + random() % 100000, '\x80'));
       return "architecture '\\xff\\x0a\\x80";
     },
     error_code::unsupported_model},
    {"quantization_version_old",
     [](auto& file, auto&) {
       file.number("general.quantization_version", 1);
       return "general.quantization_version";
     },
     error_code::unsupported_model},
};

const std::vector<broken_class> keys{
    {"architecture_missing",
     [](auto& file, auto&) {
       file.remove("general.architecture");
       return "general.architecture";
     }},
    {"architecture_a_number",
     [](auto& file, auto&) {
       file.number("general.architecture", 1);
       return "general.architecture";
     }},
    {"adapter_in_place_of_a_model",
     [](auto& file, auto&) {
       file.text("general.type", "adapter");
       return "general.type is 'adapter'";
     }},
    {"needed_key_missing",
     [](auto& file, auto& random) {
       const auto key =
           "llama." +
           std::vector<std::string>{"block_count",          "embedding_length",
                                    "context_length",       "feed_forward_length",
                                    "attention.head_count", "attention.layer_norm_rms_epsilon"}[random() % 6];
       file.remove(key);
       return key + " is missing";
     }},
    {"size_a_string",
     [](auto& file, auto&) {
       file.text("llama.block_count", "2");
       return "llama.block_count";
     }},
    {"size_negative",
     [](auto& file, auto&) {
       file.raw("llama.block_count", raw_number(gguf_type::i32) + raw_number(-2));
       return "llama.block_count";
     }},
    {"size_an_array",
     [](auto& file, auto&) {
       file.ints("llama.attention.head_count", {2, 2});
       return "llama.attention.head_count";
     }},
    {"size_beyond_32_bits",
     [](auto& file, auto&) {
       file.raw("llama.block_count", raw_number(gguf_type::u64) + raw_number((std::uint64_t{1} << 32) + 2));
       return "llama.block_count";
     }},
    {"rope_scaling_not_known",
     [](auto& file, auto&) {
       file.text("llama.rope.scaling.type", "longrope");
       return "llama.rope.scaling.type";
     }},
    {"rope_scaling_in_factors_that_are_missing",
     [](auto& file, auto&) {
       file.text("llama.rope.scaling.type", "llama3");
       return "rope_freqs.weight";
     }},
    {"tokens_unlike_the_embedding",
     [](auto& file, auto& random) {
       auto tokens = tiny_bpe_tokens();
       tokens.resize(tokens.size() + 1 - 2 * (random() % 2), "x");
       file.texts("tokenizer.ggml.tokens", tokens);
       return "tokenizer.ggml.tokens";
     }},
    {"tokens_of_another_type",
     [](auto& file, auto&) {
       file.ints("tokenizer.ggml.tokens", std::vector<std::int32_t>(tiny_bpe_tokens().size()));
       return "tokenizer.ggml.tokens";
     }},
    {"vocabulary_size_unlike_the_embedding",
     [](auto& file, auto& random) {
       file.number("llama.vocab_size", random() % 100);
       return "llama.vocab_size";
     }},
};

const std::vector<broken_class> roles{
    {"tensor_missing",
     [](auto& file, auto& random) {
       const auto name = file.tensors[random() % file.tensors.size()].name;
       file.remove_tensor(name);
       return name + " is missing";
     }},
    {"tensor_with_no_place",
     [](auto& file, auto& random) {
       const std::string name =
           std::vector<std::string>{"blk.0.attn_q_norm.weight", "blk.2.attn_norm.weight",
                                    "blk.1.ffn_gate_inp.weight", "rope_factors_long.weight"}[random() % 4];
       file.tensor(name, {32}, 0, std::string(128, '\0'));
       return "'" + name + "' has no place";
     },
     error_code::unsupported_model},
    {"tensor_of_another_shape",
     [](auto& file, auto& random) {
       auto& tensor = file.tensors[1 + random() % (file.tensors.size() - 1)];
       tensor.shape.back() += 16;
       tensor.data.resize(tensor.data.size() * 2);
       return tensor.name + " has size " + std::to_string(tensor.shape.back());
     }},
    {"matrix_with_a_third_dimension",
     [](auto& file, auto&) {
       auto& tensor = file.tensor("blk.0.ffn_up.weight");
       tensor.shape.push_back(2);
       tensor.data.resize(tensor.data.size() * 2);
       return "blk.0.ffn_up.weight has too many dimensions";
     }},
    {"norm_quantised",
     [](auto& file, auto&) {
       auto& tensor = file.tensor("output_norm.weight");
       tensor.type = 8;
       tensor.data.resize(34);
       return "output_norm.weight is a vector of quantised type Q8_0";
     }},
    {"embedding_missing",
     [](auto& file, auto&) {
       file.remove_tensor("token_embd.weight");
       return "token_embd.weight";
     }},
    {"rope_factor_not_positive",
     [](auto& file, auto& random) {
       const float wrong = std::vector<float>{0, -1, std::nanf("")}[random() % 3];
       std::string data;
       for (int i = 0; i < 8; ++i) data += raw_number(i == 5 ? wrong : 1.0F);
       file.tensor("rope_freqs.weight", {8}, 0, data);
       return "rope_freqs.weight holds a factor";
     }},
};

class broken_config_test : public testing::TestWithParam<broken_class> {};

TEST_P(broken_config_test, is_refused) { expect_class_refused(GetParam()); }

const auto name_of = [](const auto& each) { return each.param.name; };
INSTANTIATE_TEST_SUITE_P(sizes, broken_config_test, testing::ValuesIn(sizes), name_of);
INSTANTIATE_TEST_SUITE_P(variants, broken_config_test, testing::ValuesIn(variants), name_of);
INSTANTIATE_TEST_SUITE_P(keys, broken_config_test, testing::ValuesIn(keys), name_of);
INSTANTIATE_TEST_SUITE_P(roles, broken_config_test, testing::ValuesIn(roles), name_of);

TEST(broken_families, miss_their_own_tensors) {
  for (const auto* name : {"attn_q.bias", "attn_k.bias", "attn_v.bias"})
    expect_class_refused({name,
                          [=](auto& file, auto&) {
                            file.remove_tensor(std::string{"blk.1."} + name);
                            return std::string{name} + " is missing";
                          }},
                         "qwen2");
  for (const auto* name :
       {"attn_q_norm.weight", "attn_k_norm.weight", "post_attention_norm.weight", "post_ffw_norm.weight"})
    expect_class_refused({name,
                          [=](auto& file, auto&) {
                            file.remove_tensor(std::string{"blk.1."} + name);
                            return std::string{name} + " is missing";
                          }},
                         "gemma3");
}

TEST(broken_families, have_no_rope_factors_but_llama) {
  const broken_class factors{"factors",
                             [](auto& file, auto&) {
                               file.tensor("rope_freqs.weight", {8}, 0, std::string(32, '\x3F'));
                               return "'rope_freqs.weight' has no place";
                             },
                             error_code::unsupported_model};
  expect_class_refused(factors, "qwen2");
  expect_class_refused(factors, "gemma3");
  expect_class_refused({"llama3",
                        [](auto& file, auto&) {
                          file.text("qwen2.rope.scaling.type", "llama3");
                          return "qwen2.rope.scaling.type";
                        }},
                       "qwen2");
}

}  // namespace
}  // namespace neap::test
