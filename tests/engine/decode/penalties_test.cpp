#include "engine/decode/logit_processing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace neap::decode {
namespace {

token_history history_of(std::vector<token_id> prompt, std::vector<token_id> answer) {
  token_history history;
  history.add_prompt(prompt);
  for (const auto token : answer) history.add_answer(token);
  return history;
}

TEST(penalties, nothing_changes_by_default) {
  std::vector<float> logits{1, -2, 3};
  apply_penalties({}, history_of({0, 1}, {2, 2}), logits);
  EXPECT_EQ(logits, (std::vector<float>{1, -2, 3}));
}

TEST(penalties, repetition_divides_positive_and_multiplies_negative_logits_of_prompt_and_answer) {
  sampling_params params;
  params.repetition_penalty = 2;
  std::vector<float> logits{4, -4, 4, 4};
  apply_penalties(params, history_of({0, 1}, {2}), logits);
  EXPECT_EQ(logits, (std::vector<float>{2, -8, 2, 4}));
}

TEST(penalties, presence_and_frequency_count_the_answer_only) {
  sampling_params params;
  params.presence_penalty = 0.5F;
  params.frequency_penalty = 0.25F;
  std::vector<float> logits{1, 1, 1, 1};
  apply_penalties(params, history_of({0, 1}, {1, 2, 2, 2}), logits);
  EXPECT_EQ(logits, (std::vector<float>{1, 0.25F, -0.25F, 1}));
}

TEST(penalties, bias_comes_before_the_repetition_penalty) {
  sampling_params params;
  params.repetition_penalty = 2;
  params.logit_bias = {{0, 3.0F}};
  std::vector<float> logits{-5, 0};
  apply_penalties(params, history_of({0}, {}), logits);
  EXPECT_EQ(logits[0], -4.0F);  // (-5 + 3) * 2; the other order gives -7
}

TEST(penalties, repetition_comes_before_presence) {
  sampling_params params;
  params.repetition_penalty = 2;
  params.presence_penalty = 1;
  std::vector<float> logits{4};
  apply_penalties(params, history_of({}, {0}), logits);
  EXPECT_EQ(logits[0], 1.0F);  // 4 / 2 - 1; the other order gives 1.5
}

TEST(penalties, ids_outside_the_vocabulary_are_ignored) {
  sampling_params params;
  params.repetition_penalty = 2;
  params.logit_bias = {{-1, 1.0F}, {2, 1.0F}, {1, 1.0F}};
  std::vector<float> logits{1, 1};
  apply_penalties(params, history_of({5, -3}, {7}), logits);
  EXPECT_EQ(logits, (std::vector<float>{1, 2}));
}

TEST(all_finite, finds_a_bad_value_at_every_place) {
  for (std::size_t size : {1, 15, 16, 17, 100}) {
    std::vector<float> x(size, -3.0F);
    EXPECT_TRUE(all_finite(x));
    for (std::size_t i = 0; i < size; ++i)
      for (const float bad :
           {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        x[i] = bad;
        EXPECT_FALSE(all_finite(x));
        x[i] = std::numeric_limits<float>::max();
        EXPECT_TRUE(all_finite(x));
      }
  }
}

TEST(index_of_maximum, lowest_index_among_equals) {
  for (std::size_t size : {1, 16, 33, 100}) {
    std::vector<float> x(size, -1.0F);
    EXPECT_EQ(index_of_maximum(x), 0U);
    x[size / 2] = 2.0F;
    x[size - 1] = 2.0F;
    EXPECT_EQ(index_of_maximum(x), size / 2);
  }
}

}  // namespace
}  // namespace neap::decode
