#include "engine/schedule/complexity.hpp"

#include <gtest/gtest.h>

namespace neap::schedule {
namespace {

sequence_request request(std::uint32_t prompt_tokens, std::uint32_t max_tokens, std::string text = "") {
  sequence_request out;
  out.prompt = std::make_shared<const std::vector<token_id>>(prompt_tokens, 1);
  out.max_tokens = max_tokens;
  out.prompt_text = std::move(text);
  return out;
}

TEST(complexity, lies_in_zero_to_one_and_grows_with_both_lengths) {
  float before = -1;
  for (const auto n : {1U, 10U, 100U, 1000U, 100'000U, 4'000'000'000U}) {
    const auto features = complexity_features{n, n, 1, 1, false};
    const auto score = estimate_complexity(features);
    EXPECT_GT(score, before);
    EXPECT_GE(score, 0.0F);
    EXPECT_LE(score, 1.0F);
    before = score;
  }
}

TEST(complexity, sees_code_and_math) {
  const auto prose =
      estimate_complexity(extract_features(request(50, 50, "tell me a short story about a cat")));
  const auto code =
      estimate_complexity(extract_features(request(50, 50, "int main() { return f(x_1); } // {};")));
  const auto math = estimate_complexity(extract_features(request(50, 50, "what is 12*34+56/7-89^2 = ?")));
  EXPECT_GT(code, prose);
  EXPECT_GT(math, prose);
}

TEST(complexity, a_question_is_simpler_than_the_same_text_without) {
  EXPECT_LT(estimate_complexity({50, 50, 0, 0, true}), estimate_complexity({50, 50, 0, 0, false}));
}

TEST(complexity, no_text_is_no_mistake) {
  const auto features = extract_features(request(3, 5));
  EXPECT_EQ(features.code, 0.0F);
  EXPECT_EQ(features.prompt_tokens, 3U);
}

struct group_case {
  float score;
  std::uint32_t tokens;
  complexity_group group;
};

class groups : public ::testing::TestWithParam<group_case> {};

TEST_P(groups, follow_the_thresholds) {
  const auto& [score, tokens, group] = GetParam();
  const auto choice = choose_group(score, tokens, {});
  EXPECT_EQ(choice.group, group);
  EXPECT_NE(choice.reason.find(std::to_string(tokens) + " tokens"), std::string::npos) << choice.reason;
}

INSTANTIATE_TEST_SUITE_P(thresholds, groups,
                         ::testing::Values(group_case{0.29F, 99, complexity_group::fast_group},
                                           group_case{0.30F, 99, complexity_group::default_batch},
                                           group_case{0.29F, 100, complexity_group::default_batch},
                                           group_case{0.70F, 512, complexity_group::default_batch},
                                           group_case{0.71F, 5, complexity_group::single_process},
                                           group_case{0.10F, 513, complexity_group::single_process}));

}  // namespace
}  // namespace neap::schedule
