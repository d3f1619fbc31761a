#include "engine/decode/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace neap::decode {
namespace {

std::optional<token_id> sample(const sampling_params& params, std::vector<float> logits,
                               std::uint64_t index = 0) {
  sampling_scratch scratch;
  return sample_token(params, {}, index, logits, scratch);
}

std::set<token_id> support(const sampling_params& params, const std::vector<float>& logits, int draws) {
  std::set<token_id> seen;
  for (int i = 0; i < draws; ++i) seen.insert(*sample(params, logits, static_cast<std::uint64_t>(i)));
  return seen;
}

TEST(sampler, greedy_takes_the_largest_and_the_lower_id_on_a_tie) {
  sampling_params greedy;
  greedy.temperature = 0;
  EXPECT_EQ(sample(greedy, {1, 3, 3, 2}), 1);
  sampling_params by_k;
  by_k.top_k = 1;
  EXPECT_EQ(sample(by_k, {1, 3, 3, 2}), 1);
  sampling_params by_p;
  by_p.top_p = 0;
  EXPECT_EQ(sample(by_p, {1, 3, 3, 2}), 1);
}

TEST(sampler, values_that_are_not_finite_give_no_token) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float temperature : {0.0F, 1.0F}) {
    sampling_params params;
    params.temperature = temperature;
    EXPECT_EQ(sample(params, {std::nanf(""), std::nanf("")}), std::nullopt);
    EXPECT_EQ(sample(params, {1, std::nanf("")}), std::nullopt);
    EXPECT_EQ(sample(params, {1, infinity}), std::nullopt);
    EXPECT_EQ(sample(params, {-infinity, -infinity}), std::nullopt);
    EXPECT_EQ(sample(params, {}), std::nullopt);
  }
}

TEST(sampler, extreme_temperatures) {
  sampling_params cold;
  cold.temperature = 1e-6F;
  EXPECT_EQ(support(cold, {10, 10.01F, -50, 9}, 200), (std::set<token_id>{1}));
  cold.temperature = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(support(cold, {10, 10.01F, -50, 9}, 200), (std::set<token_id>{1}));
  sampling_params hot;
  hot.temperature = 1e6F;
  EXPECT_EQ(support(hot, {10, 10.01F, -50, 9}, 200), (std::set<token_id>{0, 1, 2, 3}));
}

TEST(sampler, extreme_biases) {
  sampling_params params;
  params.logit_bias = {{2, 100.0F}};
  EXPECT_EQ(support(params, {5, 6, -20, 7}, 200), (std::set<token_id>{2}));
  params.logit_bias = {{0, -100.0F}, {3, -100.0F}};
  EXPECT_EQ(support(params, {5, 5, 5, 5}, 200), (std::set<token_id>{1, 2}));
}

TEST(sampler, top_k_beyond_the_vocabulary_is_off) {
  sampling_params params;
  params.top_k = 1000000;
  EXPECT_EQ(support(params, {0, 0, 0}, 200), (std::set<token_id>{0, 1, 2}));
}

TEST(sampler, largest_finite_logits) {
  const float big = std::numeric_limits<float>::max();
  sampling_params params;
  EXPECT_EQ(sample(params, {-big, big, -big}), 1);
  params.temperature = 0;
  EXPECT_EQ(sample(params, {-big, big, -big}), 1);
}

TEST(sampler, same_seed_and_index_give_the_same_token) {
  const std::vector<float> logits(1000, 0.0F);
  sampling_params a;
  a.seed = 7;
  sampling_params b = a;
  b.seed = 8;
  int different = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(sample(a, logits, i), sample(a, logits, i));
    different += sample(a, logits, i) != sample(b, logits, i) ? 1 : 0;
  }
  EXPECT_GT(different, 40);
}

}  // namespace
}  // namespace neap::decode
