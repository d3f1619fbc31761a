// Sampling inside steps: ends, skipped rows, last sampled tokens, seeds, forks, failures.

#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace neap::test {
namespace {

constexpr std::array<token_id, 1> last{last_sampled_token};

class sequence_life : public testing::Test {
 protected:
  static backend_harness& shared() {
    static backend_harness harness(model_path("smollm2"), {});
    return harness;
  }

  void SetUp() override {
    const auto reference = load_reference("smollm2");
    france_ = reference.prompts[0];
  }

  static sampling_params greedy() {
    sampling_params params;
    params.temperature = 0;
    return params;
  }

  static sampling_params seeded(std::uint64_t seed) {
    sampling_params params;
    params.temperature = 1.5F;
    params.seed = seed;
    return params;
  }

  // Prefill and decode `count` tokens, alone in the plan.
  std::vector<token_id> generate(const sampling_params& params, std::uint32_t count) {
    auto& harness = shared();
    const auto sequence = harness.open(params);
    harness.add(sequence, france_.prompt, output_sample, 0);
    std::vector<token_id> tokens{harness.run().rows[0].token};
    for (std::uint32_t i = 1; i < count; ++i) {
      harness.add(sequence, last, output_sample, i);
      tokens.push_back(harness.run().rows[0].token);
    }
    harness.close(sequence);
    harness.run();
    return tokens;
  }

  reference_prompt france_;
};

TEST_F(sequence_life, greedy_decoding_feeds_its_own_tokens) {
  const auto tokens = generate(greedy(), 8);
  EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), france_.greedy.begin()));
}

TEST_F(sequence_life, ends_at_max_tokens_and_skips_later_rows) {
  auto& harness = shared();
  const auto sequence = harness.open(greedy(), 2);
  harness.add(sequence, france_.prompt, output_sample, 0);
  EXPECT_EQ(harness.run().rows[0].finish, finish_reason::none);
  harness.add(sequence, last, output_sample, 1);
  EXPECT_EQ(harness.run().rows[0].finish, finish_reason::length);
  harness.add(sequence, last, output_sample, 2);
  const auto result = harness.run();
  EXPECT_TRUE(result.rows[0].skipped);
  EXPECT_EQ(result.rows[0].token, -1);
  harness.close(sequence);
  harness.run();
}

TEST_F(sequence_life, ends_at_a_stop_token) {
  auto& harness = shared();
  const auto sequence = harness.open(greedy(), 100, {france_.greedy[1]});
  harness.add(sequence, france_.prompt, output_sample, 0);
  harness.run();
  harness.add(sequence, last, output_sample, 1);
  const auto result = harness.run();
  EXPECT_EQ(result.rows[0].finish, finish_reason::stop);
  EXPECT_EQ(result.rows[0].token, france_.greedy[1]);
  harness.close(sequence);
  harness.run();
}

TEST_F(sequence_life, a_seed_gives_the_same_tokens_among_neighbours_and_after_preemption) {
  const auto expected = generate(seeded(77), 12);
  auto& harness = shared();
  const auto subject = harness.open(seeded(77));
  std::vector<sequence_id> crowd;
  for (std::uint64_t i = 0; i < 5; ++i) crowd.push_back(harness.open(seeded(i)));
  for (const auto each : crowd) harness.add(each, france_.prompt, output_sample, 0);
  harness.add(subject, france_.prompt, output_sample, 0);
  std::vector<token_id> tokens{harness.run().rows.back().token};
  for (std::uint32_t i = 1; i < 12; ++i) {
    for (const auto each : crowd) harness.add(each, last, output_sample, i);
    if (i == 6) {
      harness.drop_blocks(subject);
      auto again = france_.prompt;
      again.insert(again.end(), tokens.begin(), tokens.end());
      harness.add(subject, again, output_sample, i);
    } else {
      harness.add(subject, last, output_sample, i);
    }
    tokens.push_back(harness.run().rows.back().token);
  }
  EXPECT_EQ(tokens, expected);
  EXPECT_NE(generate(seeded(78), 12), expected);
}

TEST_F(sequence_life, forks_sample_from_the_same_state) {
  auto& harness = shared();
  const auto parent = harness.open(seeded(5));
  harness.add(parent, france_.prompt, output_sample, 0);
  harness.run();
  const auto twin = harness.fork(parent, 5);
  for (std::uint32_t i = 1; i < 6; ++i) {
    harness.add(parent, last, output_sample, i);
    harness.add(twin, last, output_sample, i);
    const auto result = harness.run();
    EXPECT_EQ(result.rows[0].token, result.rows[1].token);
  }
  harness.close(parent);
  harness.close(twin);
  harness.run();
}

TEST_F(sequence_life, hidden_states_come_with_logits) {
  auto& harness = shared();
  const auto sequence = harness.open();
  harness.add(sequence, france_.prompt, output_hidden | output_logits | output_sample, 0);
  const auto row = harness.run().rows[0];
  ASSERT_EQ(row.hidden.size(), harness.config().hidden);
  ASSERT_EQ(row.logits.size(), harness.config().vocabulary);
  EXPECT_GE(row.token, 0);
  float largest = 0;
  for (const float x : row.hidden) largest = std::max(largest, std::abs(x));
  EXPECT_GT(largest, 0.1F);
  harness.close(sequence);
  harness.run();
}

TEST_F(sequence_life, device_time_is_measured) {
  auto& harness = shared();
  const auto sequence = harness.open();
  harness.add(sequence, france_.prompt, output_none);
  EXPECT_GT(harness.run().device_time.count(), 0);
  harness.close(sequence);
  harness.run();
}

}  // namespace
}  // namespace neap::test
