#include "engine/decode/logprobs.hpp"

#include "engine/decode/mean_hidden.hpp"
#include "engine/decode/sequence_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace neap::decode {
namespace {

std::vector<float> random_logits(std::size_t count, unsigned seed, float spread = 8) {
  std::mt19937 random{seed};
  std::normal_distribution<float> normal{0, spread};
  std::vector<float> out(count);
  for (float& x : out) x = normal(random);
  return out;
}

double exact_logprob(const std::vector<float>& logits, std::size_t token) {
  const double best = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double x : logits) sum += std::exp(x - best);
  return logits[token] - best - std::log(sum);
}

TEST(logprobs, agree_with_double_precision) {
  sampling_scratch scratch;
  for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 49152U}) {
    const auto logits = random_logits(size, static_cast<unsigned>(size));
    const auto token = static_cast<token_id>(size / 2);
    const auto out = score_token(logits, token, 20, scratch);
    EXPECT_EQ(out.chosen.token, token);
    EXPECT_NEAR(out.chosen.logprob, exact_logprob(logits, size / 2), 1e-5) << size;
    ASSERT_EQ(out.top.size(), std::min<std::size_t>(20, size));
    for (const auto& each : out.top)
      EXPECT_NEAR(each.logprob, exact_logprob(logits, static_cast<std::size_t>(each.token)), 1e-5);
  }
}

TEST(logprobs, the_most_likely_come_first_and_the_lower_id_among_equals) {
  sampling_scratch scratch;
  const std::vector<float> logits{1, 3, 2, 3, 0};
  const auto out = score_token(logits, 4, 4, scratch);
  std::vector<token_id> order;
  for (const auto& each : out.top) order.push_back(each.token);
  EXPECT_EQ(order, (std::vector<token_id>{1, 3, 2, 0}));
  EXPECT_TRUE(score_token(logits, 4, 0, scratch).top.empty());
  double mass = 0;
  for (token_id i = 0; i < 5; ++i)
    mass += std::exp(static_cast<double>(score_token(logits, i, 0, scratch).chosen.logprob));
  EXPECT_NEAR(mass, 1, 1e-6);
}

TEST(logprobs, extreme_logits_stay_finite_and_at_most_zero) {
  sampling_scratch scratch;
  const std::vector<float> logits{-3e38F, 3e38F, 0};
  const auto out = score_token(logits, 1, 2, scratch);
  EXPECT_EQ(out.chosen.logprob, 0.0F);
  EXPECT_LE(out.top[1].logprob, 0.0F);
}

// The model's distribution, not the one that bias, penalties, temperature and filters leave.
TEST(logprobs, do_not_depend_on_how_the_token_is_chosen) {
  const auto logits = random_logits(1000, 5, 2);
  sampling_params params;
  params.seed = 9;
  params.logprobs = 3;
  params.temperature = 0.3F;
  params.top_p = 0.9F;
  params.repetition_penalty = 1.5F;
  params.logit_bias = {{7, 50.0F}};
  sequence_start start;
  start.sampling = params;
  start.max_tokens = 10;
  start.prompt = std::make_shared<const std::vector<token_id>>(std::vector<token_id>{1, 2, 3});
  sequence_state state(start);
  start.sampling.logprobs = -1;
  sequence_state plain(start);
  sampling_scratch scratch;
  for (std::uint64_t i = 0; i < 5; ++i) {
    auto mine = logits, others = logits;
    const auto token = state.sample(i, mine, scratch);
    EXPECT_EQ(token, plain.sample(i, others, scratch)) << "asking for log-probabilities changes no token";
    EXPECT_FALSE(plain.take_logprobs());
    const auto scores = state.take_logprobs();
    ASSERT_TRUE(token && scores);
    EXPECT_EQ(scores->chosen.token, *token);
    EXPECT_NEAR(scores->chosen.logprob, exact_logprob(logits, static_cast<std::size_t>(*token)), 1e-5);
    EXPECT_EQ(scores->top.size(), 3U);
    EXPECT_FALSE(state.take_logprobs()) << "once";
  }
}

TEST(mean_hidden, is_the_mean_and_starts_anew_at_position_0) {
  mean_hidden mean;
  std::vector<float> out(2);
  for (int round = 0; round < 2; ++round) {
    mean.add(0, std::vector<float>{1, 2});
    mean.add(1, std::vector<float>{3, 6});
    mean.write(out);
    EXPECT_EQ(out, (std::vector<float>{2, 4}));
  }
}

}  // namespace
}  // namespace neap::decode
