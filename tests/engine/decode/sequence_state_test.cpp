#include "engine/decode/sequence_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace neap::decode {
namespace {

sequence_start greedy_start(std::uint32_t max_tokens) {
  sequence_start start;
  start.sequence = 1;
  start.sampling.temperature = 0;
  start.max_tokens = max_tokens;
  return start;
}

std::optional<token_id> step(sequence_state& state, std::uint64_t index, std::vector<float> logits) {
  sampling_scratch scratch;
  return state.sample(index, logits, scratch);
}

TEST(sequence_state, ends_at_max_tokens) {
  sequence_state state(greedy_start(2));
  EXPECT_EQ(state.last_token(), std::nullopt);
  EXPECT_EQ(step(state, 0, {0, 1}), 1);
  EXPECT_FALSE(state.finished());
  EXPECT_EQ(state.last_token(), 1);
  EXPECT_EQ(step(state, 1, {1, 0}), 0);
  EXPECT_EQ(state.finish(), finish_reason::length);
  EXPECT_EQ(state.generated(), 2U);
}

TEST(sequence_state, a_stop_token_wins_over_the_length) {
  auto start = greedy_start(1);
  start.stop_token_ids = {5, 1};
  sequence_state state(start);
  EXPECT_EQ(step(state, 0, {0, 1}), 1);
  EXPECT_EQ(state.finish(), finish_reason::stop);
}

TEST(sequence_state, a_broken_logit_fails_the_sequence) {
  sequence_state state(greedy_start(5));
  EXPECT_EQ(step(state, 0, {0, std::nanf("")}), std::nullopt);
  EXPECT_EQ(state.finish(), finish_reason::failed);
  EXPECT_EQ(state.generated(), 0U);
}

TEST(sequence_state, penalties_see_prompt_and_answer) {
  auto start = greedy_start(10);
  start.sampling.repetition_penalty = 10;
  start.prompt = std::make_shared<const std::vector<token_id>>(std::vector<token_id>{0});
  sequence_state state(start);
  EXPECT_EQ(step(state, 0, {5, 3, 2, 1}), 1);
  EXPECT_EQ(step(state, 1, {5, 3, 2, 1}), 2);
  EXPECT_EQ(step(state, 2, {5, 3, 2, 1}), 3);
}

TEST(sequence_state, a_fork_shares_the_past_and_goes_its_own_way) {
  auto start = greedy_start(100);
  start.sampling.temperature = 1;
  start.sampling.seed = 1;
  start.sampling.frequency_penalty = 0.5F;
  sequence_state parent(start);
  const std::vector<float> flat(50, 0.0F);
  step(parent, 0, flat);
  auto twin = parent.fork(1);
  auto other = parent.fork(2);
  EXPECT_EQ(twin.last_token(), parent.last_token());
  EXPECT_EQ(other.generated(), 1U);
  int different = 0;
  for (std::uint64_t i = 1; i < 20; ++i) {
    const auto token = step(parent, i, flat);
    EXPECT_EQ(step(twin, i, flat), token);
    different += step(other, i, flat) != token ? 1 : 0;
  }
  EXPECT_GT(different, 10);
}

TEST(sequence_state, a_seeded_answer_does_not_depend_on_interleaving) {
  auto start = greedy_start(100);
  start.sampling.temperature = 1;
  start.sampling.seed = 9;
  const std::vector<float> flat(100, 0.0F);
  sequence_state alone(start);
  std::vector<std::optional<token_id>> expected;
  for (std::uint64_t i = 0; i < 10; ++i) expected.push_back(step(alone, i, flat));
  sequence_state again(start);
  start.sampling.seed = 10;
  sequence_state neighbour(start);
  for (std::uint64_t i = 0; i < 10; ++i) {
    step(neighbour, i, flat);
    EXPECT_EQ(step(again, i, flat), expected[i]);
    step(neighbour, 100 + i, flat);
  }
}

}  // namespace
}  // namespace neap::decode
