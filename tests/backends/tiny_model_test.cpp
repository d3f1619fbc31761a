// The forward pass of every family and RoPE variant against the obvious double-precision one.

#include "tests/backends/tiny_model.hpp"

#include "tests/backends/naive_model.hpp"
#include "tests/support/backend_harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

namespace neap::test {
namespace {

struct tiny_case {
  std::string name;
  tiny_options options;

  friend void PrintTo(const tiny_case& x, std::ostream* out) { *out << x.name; }
};

std::vector<token_id> some_tokens(std::size_t count) {
  std::vector<token_id> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<token_id>((i * i * 3 + 7) % 50));
  return tokens;
}

double worst_difference(const std::vector<float>& x, const std::vector<double>& y) {
  EXPECT_EQ(x.size(), y.size());
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double difference = std::abs(static_cast<double>(x[i]) - y[i]);
    if (!(difference <= worst)) worst = difference;  // NaN counts as worst
  }
  return worst;
}

class tiny_model_test : public testing::TestWithParam<tiny_case> {
 protected:
  // The worst logit over prefills of several lengths and a decode step.
  double error_of(backend::precision precision) {
    const bool quantized = precision != backend::precision::float32;
    auto options = GetParam().options;
    options.quantized = quantized;
    const auto file = make_tiny_model(options);
    if (!file) return 1e9;
    harness_options how;
    how.precision = precision;
    how.kv_type = quantized ? kernels::kv_type::f16 : kernels::kv_type::f32;
    how.blocks = 32;
    backend_harness harness(file, how);
    const naive_model naive(*file);
    double worst = 0;
    for (const std::size_t length : {1, 15, 16, 17, 60}) {
      const auto tokens = some_tokens(length + 1);
      const auto sequence = harness.open();
      const auto prompt = std::span(tokens).first(length);
      worst =
          std::max(worst, worst_difference(harness.last_logits(sequence, prompt, 13), naive.logits(prompt)));
      const auto next = harness.last_logits(sequence, std::span(tokens).last(1), 1);
      worst = std::max(worst, worst_difference(next, naive.logits(tokens)));
      harness.close(sequence);
    }
    return worst;
  }
};

// The states themselves have a standard deviation of about 1.
TEST_P(tiny_model_test, mean_hidden_states_agree) {
  auto options = GetParam().options;
  options.quantized = false;
  const auto file = make_tiny_model(options);
  ASSERT_TRUE(file);
  harness_options how;
  how.precision = backend::precision::float32;
  how.kv_type = kernels::kv_type::f32;
  backend_harness harness(file, how);
  const auto tokens = some_tokens(37);
  const auto sequence = harness.open({}, 0);
  harness.add(sequence, std::span(tokens).first(20), output_mean_hidden);
  harness.run();
  harness.add(sequence, std::span(tokens).subspan(20), output_mean_hidden);
  EXPECT_LT(worst_difference(harness.run().rows[0].hidden, naive_model(*file).mean_hidden(tokens)), 1e-3);
}

// Logits here have a standard deviation of about 8.
TEST_P(tiny_model_test, float32_agrees) { EXPECT_LT(error_of(backend::precision::float32), 1e-3); }

TEST_P(tiny_model_test, quantized_agrees) { EXPECT_LT(error_of(backend::precision::quantized_fine), 0.15); }

// Random weights have no outlier channels, so nearly every group is coarse, and in rows of 64 channels
// rounding averages out badly: up to 1.5 measured. Whether the mode is good enough is for the reference tests
// on real models to say; a wrong product would be off by about 8 here.
TEST_P(tiny_model_test, mixed_agrees) { EXPECT_LT(error_of(backend::precision::quantized), 2.0); }

std::vector<tiny_case> cases() {
  std::vector<tiny_case> all;
  all.push_back({"llama", {}});
  all.push_back({"llama_separate_output", {.tied = false}});
  all.push_back({"llama_without_grouped_heads", {.kv_heads = 4}});
  all.push_back({"llama_one_kv_head", {.kv_heads = 1}});
  all.push_back({"llama_wide_heads", {.kv_heads = 1, .head_size = 48}});
  all.push_back({"llama3_factors", {.rope_factors = true}});
  all.push_back({"linear", {.numbers = {{"rope.scaling.factor", 4}}, .rope_scaling = "linear"}});
  all.push_back({"yarn",
                 {.head_size = 32,
                  .numbers = {{"rope.scaling.factor", 4}, {"rope.scaling.original_context_length", 64}},
                  .rope_scaling = "yarn"}});
  all.push_back({"partial_rotary", {.head_size = 32, .numbers = {{"rope.dimension_count", 16}}}});
  all.push_back({"qwen2", {.architecture = "qwen2"}});
  all.push_back({"qwen2_yarn",
                 {.architecture = "qwen2",
                  .head_size = 32,
                  .tied = false,
                  .numbers = {{"rope.freq_base", 1e6},
                              {"rope.scaling.factor", 4},
                              {"rope.scaling.original_context_length", 64}},
                  .rope_scaling = "yarn"}});
  all.push_back({"gemma3",
                 {.architecture = "gemma3",
                  .layers = 7,
                  .kv_heads = 1,
                  .numbers = {{"attention.sliding_window", 9}, {"rope.freq_base", 1e6}}}});
  all.push_back({"gemma3_linear",
                 {.architecture = "gemma3",
                  .layers = 7,
                  .numbers = {{"attention.sliding_window", 20}, {"rope.scaling.factor", 8}},
                  .rope_scaling = "linear"}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(variants, tiny_model_test, testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

TEST(broken_values, fail_their_sequence_alone_and_leave_nothing_in_its_blocks) {
  const auto file = make_tiny_model({.tied = false, .broken_token = 3});
  ASSERT_TRUE(file);
  harness_options how;
  how.blocks = 4;
  backend_harness harness(file, how);
  sampling_params greedy;
  greedy.temperature = 0;
  const std::vector<token_id> good{1, 2, 4};
  const std::vector<token_id> bad(16, 3);
  const auto run = [&](std::span<const token_id> with) {
    const auto sound = harness.open(greedy);
    harness.add(sound, good, output_sample);
    if (!with.empty()) harness.add(harness.open(greedy), with, output_sample);
    return harness.run();
  };
  const auto expected = run({}).rows[0].token;
  const auto mixed = run(bad);
  EXPECT_EQ(mixed.rows[0].token, expected);
  EXPECT_EQ(mixed.rows[0].finish, finish_reason::none);
  EXPECT_EQ(mixed.rows[1].token, -1);
  EXPECT_EQ(mixed.rows[1].finish, finish_reason::failed);
  // A block full of NaN, used again by another sequence: positions it has not written must not matter.
  batch_plan& plan = harness.plan();
  plan.starts.push_back({.sequence = 1000, .sampling = greedy});
  plan.tokens = good;
  plan.block_tables = {2};
  plan.rows.push_back({.sequence = 1000, .token_count = 3, .table_count = 1, .outputs = output_sample});
  const auto reused = harness.run();
  EXPECT_EQ(reused.rows[0].token, expected);
}

}  // namespace
}  // namespace neap::test
