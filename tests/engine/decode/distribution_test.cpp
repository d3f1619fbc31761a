// Drawn frequencies against the wanted probabilities: Pearson's chi-square with fixed seeds.

#include "engine/decode/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace neap::decode {
namespace {

constexpr int draws = 20000;

std::vector<double> softmax(const std::vector<float>& logits, double temperature,
                            const std::vector<bool>& kept) {
  std::vector<double> p(logits.size(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (kept[i]) p[i] = std::exp(static_cast<double>(logits[i]) / temperature);
    total += p[i];
  }
  for (auto& x : p) x /= total;
  return p;
}

std::vector<int> frequencies(const sampling_params& params, const std::vector<float>& logits) {
  std::vector<int> counts(logits.size(), 0);
  sampling_scratch scratch;
  for (std::uint64_t i = 0; i < draws; ++i) {
    auto copy = logits;
    ++counts[static_cast<std::size_t>(*sample_token(params, {}, i, copy, scratch))];
  }
  return counts;
}

// Chi-square divided by its degrees of freedom; tokens of probability 0 must not occur.
double reduced_chi_square(const std::vector<int>& counts, const std::vector<double>& p) {
  double sum = 0;
  int freedom = -1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) {
      EXPECT_EQ(counts[i], 0) << "token " << i;
      continue;
    }
    const double expected = p[i] * draws;
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    ++freedom;
  }
  return sum / freedom;
}

std::vector<float> ramp(std::size_t count, float step) {
  std::vector<float> logits;
  for (std::size_t i = 0; i < count; ++i) logits.push_back(-step * static_cast<float>(i * 7 % count));
  return logits;
}

TEST(distribution, follows_the_softmax_at_each_temperature) {
  const auto logits = ramp(20, 0.2F);
  for (const float temperature : {0.5F, 1.0F, 2.0F, 100.0F}) {
    sampling_params params;
    params.temperature = temperature;
    params.seed = 11;
    const auto p = softmax(logits, static_cast<double>(temperature), std::vector<bool>(20, true));
    EXPECT_LT(reduced_chi_square(frequencies(params, logits), p), 2.0) << temperature;
  }
}

TEST(distribution, detects_a_wrong_temperature) {
  const auto logits = ramp(20, 0.2F);
  sampling_params params;
  params.seed = 11;
  const auto p = softmax(logits, 1.1, std::vector<bool>(20, true));
  EXPECT_GT(reduced_chi_square(frequencies(params, logits), p), 4.0);
}

TEST(distribution, is_renormalised_over_what_the_filters_keep) {
  const std::vector<float> logits{0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -8.0F};
  sampling_params params;
  params.seed = 3;
  params.top_k = 4;
  EXPECT_LT(reduced_chi_square(frequencies(params, logits), softmax(logits, 1, {1, 1, 1, 1, 0, 0})), 2.5);
  params.top_k = 0;
  params.min_p = 0.3F;  // exp(-1) = 0.37 stays, exp(-1.5) = 0.22 goes
  EXPECT_LT(reduced_chi_square(frequencies(params, logits), softmax(logits, 1, {1, 1, 1, 0, 0, 0})), 2.5);
  params.min_p = 0;
  params.top_p = 0.6F;  // 0.43 + 0.26 of the mass
  EXPECT_LT(reduced_chi_square(frequencies(params, logits), softmax(logits, 1, {1, 1, 0, 0, 0, 0})), 4);
}

TEST(distribution, is_right_across_a_vocabulary_of_many_blocks) {
  // 5,000 tokens in 10 bins of equal mass.
  const std::vector<float> logits(5000, 1.0F);
  sampling_params params;
  params.seed = 5;
  const auto counts = frequencies(params, logits);
  std::vector<int> bins(10, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) bins[i / 500] += counts[i];
  EXPECT_LT(reduced_chi_square(bins, std::vector<double>(10, 0.1)), 2.5);
}

}  // namespace
}  // namespace neap::decode
