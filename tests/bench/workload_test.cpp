#include "bench/workload.hpp"

#include "bench/endpoint.hpp"
#include "bench/load_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace neap::bench {
namespace {

TEST(Workload, PromptsRepeatBySeedAndShareNoPrefixOtherwise) {
  EXPECT_EQ(make_prompt(50, 1, 2), make_prompt(50, 1, 2));
  EXPECT_NE(make_prompt(50, 1, 2).substr(0, 30), make_prompt(50, 1, 3).substr(0, 30));
  EXPECT_NE(make_prompt(50, 1, 2).substr(0, 30), make_prompt(50, 2, 2).substr(0, 30));
  const auto prompt = make_prompt(50, 1, 2);
  EXPECT_EQ(std::count(prompt.begin(), prompt.end(), ' '), 49);
}

TEST(Workload, ArrivalsArePoisson) {
  constexpr double rate = 4;
  const auto arrivals = make_arrivals(20'000, rate, 7);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
  EXPECT_NEAR(arrivals.back() / 20'000, 1 / rate, 0.01 / rate * 3);
  // A share of exp(-1) of the gaps is longer than the mean.
  std::size_t longer = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    longer += arrivals[i] - arrivals[i - 1] > 1 / rate ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(longer) / 20'000, 0.3679, 0.012);
}

TEST(Url, TakesHostPortAndNoPathButV1) {
  const auto good = parse_url("http://localhost:9000/");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->host, "localhost");
  EXPECT_EQ(good->port, "9000");
  EXPECT_EQ(parse_url("http://a")->port, "80");
  EXPECT_EQ(parse_url("http://a:9000/v1")->port, "9000");
  EXPECT_FALSE(parse_url("http://a:70000"));
  for (const auto* wrong :
       {"localhost:1", "https://a:1", "http://", "http://a:1/v2", "http://:1", "http://a:", ""})
    EXPECT_FALSE(parse_url(wrong)) << wrong;
}

TEST(Bench, SaysInOneLineThatNobodyListens) {
  bench_options options;
  options.url = "http://127.0.0.1:1";
  const auto outcome = run_bench(options, {});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("http://127.0.0.1:1"), std::string::npos);
  EXPECT_EQ(outcome.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace neap::bench
