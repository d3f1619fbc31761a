#include "bench/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace neap::bench {
namespace {

TEST(Percentiles, AreNearestRank) {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const auto x = summarize(values);
  EXPECT_EQ(x.p50, 50);
  EXPECT_EQ(x.p95, 95);
  EXPECT_EQ(x.p99, 99);
  EXPECT_EQ(x.max, 100);
  EXPECT_DOUBLE_EQ(x.mean, 50.5);
}

TEST(Percentiles, OfOneAndOfNoValue) {
  EXPECT_EQ(summarize(std::vector<double>{3}).p99, 3);
  EXPECT_EQ(summarize(std::vector<double>{}).p50, 0);
}

TEST(Summary, CountsOnlyWhatSucceeded) {
  request_sample good;
  good.ok = true;
  good.first_token = 0.5;
  good.total = 2;
  good.gaps = {0.1, 0.3};
  good.prompt_tokens = 10;
  good.answer_tokens = 3;
  request_sample bad;
  bad.failure = "HTTP 503";
  const auto s = summarize({good, bad, good}, 4.0);
  EXPECT_EQ(s.requests, 3U);
  EXPECT_EQ(s.failures, 1U);
  EXPECT_EQ(s.first_failure, "HTTP 503");
  EXPECT_EQ(s.answer_tokens, 6U);
  EXPECT_DOUBLE_EQ(s.answer_tokens_per_second, 1.5);
  EXPECT_DOUBLE_EQ(s.total_tokens_per_second, 6.5);
  EXPECT_DOUBLE_EQ(s.requests_per_second, 0.5);
  EXPECT_DOUBLE_EQ(s.gap.max, 0.3);
}

}  // namespace
}  // namespace neap::bench
