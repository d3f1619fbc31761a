// Selection without sorting against a straightforward sorted version.

#include "engine/decode/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace neap::decode {
namespace {

std::vector<candidate> sorted(const std::vector<float>& values) {
  std::vector<candidate> all;
  for (std::size_t i = 0; i < values.size(); ++i) all.push_back({values[i], static_cast<token_id>(i)});
  std::sort(all.begin(), all.end(), better);
  return all;
}

std::vector<token_id> naive_selection(const std::vector<float>& values, const sampling_params& params) {
  auto all = sorted(values);
  if (params.top_k > 0) all.resize(std::min(all.size(), static_cast<std::size_t>(params.top_k)));
  double total = 0;
  for (const auto& x : all) total += std::exp(static_cast<double>(x.value));
  if (params.top_p < 1) {
    double sum = 0;
    std::size_t kept = 0;
    while (kept < all.size() && sum < static_cast<double>(params.top_p) * total)
      sum += std::exp(static_cast<double>(all[kept++].value));
    all.resize(kept);
  }
  std::erase_if(all, [&](const candidate& x) { return std::exp(x.value) < params.min_p; });
  std::vector<token_id> ids;
  for (const auto& x : all) ids.push_back(x.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<token_id> selection(const std::vector<float>& values, const sampling_params& params) {
  sampling_scratch scratch;
  select_candidates(values, params, scratch);
  std::vector<token_id> ids;
  for (const auto& x : scratch.candidates) ids.push_back(x.id);
  return ids;
}

// Logits with the largest at 0 and, for `step` > 0, many ties.
std::vector<float> random_values(std::size_t count, float spread, float step, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> values(count);
  for (auto& x : values) x = step > 0 ? std::round(normal(random) / step) * step : normal(random);
  const float best = *std::max_element(values.begin(), values.end());
  for (auto& x : values) x -= best;
  return values;
}

TEST(selection, equals_the_sorted_version) {
  std::uint32_t seed = 0;
  for (const std::size_t count : {1, 2, 17, 300, 5000})
    for (const float spread : {0.01F, 1.0F, 5.0F})
      for (const float step : {0.0F, 0.5F})
        for (const int k : {0, 1, 2, 40, 100000})
          for (const float p : {0.001F, 0.3F, 0.9F, 0.999F, 1.0F})
            for (const float min_p : {0.0F, 0.05F, 1.0F}) {
              const auto values = random_values(count, spread, step, ++seed);
              sampling_params params;
              params.top_k = k;
              params.top_p = p;
              params.min_p = min_p;
              ASSERT_EQ(selection(values, params), naive_selection(values, params))
                  << count << " tokens, spread " << spread << ", top_k " << k << ", top_p " << p << ", min_p "
                  << min_p;
            }
}

TEST(selection, top_p_works_on_what_top_k_left) {
  // Four equal tokens: top_k 2 leaves 0 and 1 with half the mass each, so top_p 0.5 keeps one.
  sampling_params params;
  params.top_k = 2;
  params.top_p = 0.5F;
  EXPECT_EQ(selection({0, 0, 0, 0}, params), (std::vector<token_id>{0}));
}

TEST(selection, ties_keep_the_lower_ids) {
  sampling_params params;
  params.top_k = 3;
  EXPECT_EQ(selection({-1, 0, 0, 0, 0}, params), (std::vector<token_id>{1, 2, 3}));
}

TEST(selection, min_p_of_one_keeps_the_best_alone) {
  sampling_params params;
  params.min_p = 1.0F;
  EXPECT_EQ(selection({-1, 0, -0.001F}, params), (std::vector<token_id>{1}));
}

TEST(selection, infinitely_unlikely_tokens_do_no_harm) {
  const float never = -std::numeric_limits<float>::infinity();
  sampling_params params;
  params.top_p = 0.999F;
  EXPECT_EQ(selection({never, 0, never}, params), (std::vector<token_id>{1}));
}

}  // namespace
}  // namespace neap::decode
