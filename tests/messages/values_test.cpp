#include "messages/json_value.hpp"
#include "messages/quote.hpp"
#include "messages/routing.hpp"
#include "messages/sampling_params.hpp"

#include <gtest/gtest.h>

namespace neap {
namespace {

TEST(Quote, IsOnePrintableLine) {
  EXPECT_EQ(quote("a.b"), "'a.b'");
  EXPECT_EQ(quote("a\n\x1b\xff"), "'a\\x0a\\x1b\\xff'");
  EXPECT_EQ(quote("abcdef", 3), "'abc...'");
}

TEST(Routing, NamesAreTheOnesClientsSee) {
  EXPECT_EQ(to_string(service_tier::vip), "vip");
  EXPECT_EQ(to_string(service_tier::standard), "standard");
  EXPECT_EQ(to_string(request_type::interactive), "interactive");
  EXPECT_EQ(to_string(request_type::batch), "batch");
  EXPECT_EQ(to_string(sensitivity::realtime), "realtime");
  EXPECT_EQ(to_string(sensitivity::normal), "normal");
  EXPECT_EQ(to_string(complexity_group::fast_group), "FAST_GROUP");
  EXPECT_EQ(to_string(complexity_group::default_batch), "DEFAULT_BATCH");
  EXPECT_EQ(to_string(complexity_group::single_process), "SINGLE_PROCESS");
  EXPECT_EQ(to_string(lane::dedicated), "dedicated");
  EXPECT_EQ(to_string(lane::batch), "batch");
  EXPECT_EQ(to_string(lane::deferred), "deferred");
}

TEST(SamplingParams, ZeroTemperatureOrTopPOrOneCandidateIsGreedy) {
  EXPECT_FALSE(sampling_params{}.greedy());
  EXPECT_TRUE((sampling_params{.temperature = 0}.greedy()));
  EXPECT_TRUE((sampling_params{.top_p = 0}.greedy()));
  EXPECT_TRUE((sampling_params{.top_k = 1}.greedy()));
}

TEST(JsonValue, FindsMembersInObjectsOnly) {
  const json_value object{
      json_object{{"a", json_value{std::int64_t{1}}}, {"b", json_value{std::string{"x"}}}}};
  ASSERT_NE(object.find("b"), nullptr);
  EXPECT_EQ(*object.find("b")->string(), "x");
  EXPECT_EQ(object.find("c"), nullptr);
  EXPECT_EQ(json_value{}.find("a"), nullptr);
  EXPECT_TRUE(json_value{}.is_null());
}

}  // namespace
}  // namespace neap
