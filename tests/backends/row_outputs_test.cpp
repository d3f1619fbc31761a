// Means of hidden states and log-probabilities of prompts: the same bits however the prompt is cut and
// whatever shares its batch, and what single steps give.

#include "engine/decode/logprobs.hpp"
#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace neap::test {
namespace {

class row_outputs_test : public testing::Test {
 protected:
  static backend_harness& shared() {
    static backend_harness harness(model_path("smollm2"), {});
    return harness;
  }
  void SetUp() override {
    const auto reference = load_reference("smollm2");
    const auto& ids = reference.long_prompts[0].prompt;
    tokens_.assign(ids.begin(), ids.begin() + 75);
  }

  std::vector<float> mean(std::size_t chunk, std::size_t neighbours = 0) {
    auto& harness = shared();
    const auto sequence = harness.open({}, 0);
    std::vector<sequence_id> crowd;
    for (std::size_t i = 0; i < neighbours; ++i) crowd.push_back(harness.open());
    std::vector<float> out;
    for (std::size_t begin = 0; begin < tokens_.size(); begin += chunk) {
      for (const auto each : crowd) harness.add(each, std::span(tokens_).first(1), output_logits);
      harness.add(sequence, part(begin, chunk), output_mean_hidden);
      out = harness.run().rows.back().hidden;
    }
    for (const auto each : crowd) harness.close(each);
    harness.close(sequence);
    harness.run();
    return out;
  }

  std::vector<token_logprobs> prompt_logprobs(std::size_t chunk) {
    auto& harness = shared();
    sampling_params sampling;
    sampling.logprobs = 5;
    sampling.prompt_logprobs = true;
    const auto sequence = harness.open(sampling);
    harness.plan().starts.back().prompt = std::make_shared<const std::vector<token_id>>(tokens_);
    std::vector<token_logprobs> out;
    for (std::size_t begin = 0; begin < tokens_.size(); begin += chunk) {
      harness.add(sequence, part(begin, chunk), output_prompt_logprobs);
      const auto row = harness.run().rows[0];
      out.insert(out.end(), row.prompt_logprobs.begin(), row.prompt_logprobs.end());
    }
    harness.close(sequence);
    harness.run();
    return out;
  }

  std::span<const token_id> part(std::size_t begin, std::size_t count) const {
    return std::span(tokens_).subspan(begin, std::min(count, tokens_.size() - begin));
  }

  std::vector<token_id> tokens_;
};

TEST_F(row_outputs_test, the_mean_hidden_state_is_that_of_single_steps) {
  auto& harness = shared();
  const auto sequence = harness.open();
  std::vector<double> sum(harness.config().hidden);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    harness.add(sequence, part(i, 1), output_hidden);
    const auto hidden = harness.run().rows[0].hidden;
    for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += static_cast<double>(hidden[at]);
  }
  harness.close(sequence);
  harness.run();
  std::vector<float> expected;
  for (const double x : sum) expected.push_back(static_cast<float>(x / static_cast<double>(tokens_.size())));
  EXPECT_EQ(mean(512), expected);
  EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](float x) { return std::abs(x) > 0.01F; }));
}

TEST_F(row_outputs_test, the_mean_hidden_state_does_not_depend_on_the_batch) {
  const auto expected = mean(512);
  for (const std::size_t chunk : {1U, 7U, 16U, 33U}) EXPECT_EQ(mean(chunk), expected) << chunk;
  EXPECT_EQ(mean(20, 5), expected);
}

TEST_F(row_outputs_test, a_prompt_computed_again_starts_its_mean_anew) {
  auto& harness = shared();
  const auto sequence = harness.open({}, 0);
  harness.add(sequence, part(0, 40), output_mean_hidden);
  harness.run();
  harness.drop_blocks(sequence);
  harness.add(sequence, tokens_, output_mean_hidden);
  const auto again = harness.run().rows[0].hidden;
  EXPECT_EQ(again, mean(512));
  harness.close(sequence);
  harness.run();
}

TEST_F(row_outputs_test, prompt_logprobs_are_those_of_all_logits) {
  auto& harness = shared();
  const auto sequence = harness.open();
  const auto logits = harness.all_logits(sequence, tokens_, 512);
  harness.close(sequence);
  harness.run();
  decode::sampling_scratch scratch;
  const auto vocabulary = harness.config().vocabulary;
  for (const std::size_t chunk : {512U, 1U, 7U, 32U}) {
    const auto scores = prompt_logprobs(chunk);
    ASSERT_EQ(scores.size(), tokens_.size() - 1) << chunk;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto right =
          decode::score_token({&logits[i * vocabulary], vocabulary}, tokens_[i + 1], 5, scratch);
      ASSERT_EQ(scores[i].chosen.token, tokens_[i + 1]);
      ASSERT_EQ(scores[i].chosen.logprob, right.chosen.logprob) << i;
      ASSERT_EQ(scores[i].top.size(), 5U);
      ASSERT_EQ(scores[i].top[0].token, right.top[0].token);
    }
  }
}

// Differences of log-probabilities are differences of logits: those of an independent implementation.
TEST_F(row_outputs_test, sampled_logprobs_agree_with_the_reference) {
  auto& harness = shared();
  for (const auto& prompt : load_reference("smollm2").prompts) {
    sampling_params sampling;
    sampling.temperature = 0;
    sampling.logprobs = 20;
    const auto sequence = harness.open(sampling);
    harness.add(sequence, prompt.prompt, output_sample);
    const auto row = harness.run().rows[0];
    harness.close(sequence);
    harness.run();
    ASSERT_TRUE(row.logprobs);
    const auto& top = row.logprobs->top;
    ASSERT_EQ(top.size(), 20U);
    EXPECT_EQ(row.logprobs->chosen.token, row.token);
    EXPECT_EQ(top[0].token, row.token);
    EXPECT_EQ(top[0].logprob, row.logprobs->chosen.logprob);
    std::size_t compared = 0;
    for (const auto& [token, logit] : prompt.top) {
      const auto found =
          std::find_if(top.begin(), top.end(), [&](const auto& x) { return x.token == token; });
      if (found == top.end()) continue;
      ++compared;
      EXPECT_NEAR(found->logprob - top[0].logprob, logit - prompt.top[0].second, 0.6) << token;
    }
    EXPECT_GE(compared, 15U);
  }
}

}  // namespace
}  // namespace neap::test
