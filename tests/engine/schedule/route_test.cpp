#include "engine/schedule/route.hpp"

#include "engine/schedule/sequence.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace neap::schedule {
namespace {

using namespace std::chrono_literals;

TEST(route, each_dimension_raises_urgency) {
  for (const auto type : {request_type::interactive, request_type::batch})
    for (const auto how : {sensitivity::realtime, sensitivity::normal})
      EXPECT_GT(urgency_of({service_tier::vip, type, how, 0}),
                urgency_of({service_tier::standard, type, how, 0}));
  EXPECT_EQ(urgency_of({service_tier::vip, request_type::interactive, sensitivity::realtime, 0}), 1.0F);
  EXPECT_EQ(urgency_of({service_tier::standard, request_type::batch, sensitivity::normal, 0}), 0.0F);
}

TEST(route, lanes_by_urgency) {
  EXPECT_EQ(lane_of(urgency_of({service_tier::vip, request_type::interactive, sensitivity::normal, 0})),
            lane::dedicated);
  EXPECT_EQ(lane_of(urgency_of({})), lane::batch);
  EXPECT_EQ(lane_of(urgency_of({service_tier::standard, request_type::batch, sensitivity::normal, 0})),
            lane::deferred);
}

TEST(route, classification_is_complete_and_repeatable) {
  sequence_request request;
  request.prompt = std::make_shared<const std::vector<token_id>>(20, 7);
  request.max_tokens = 16;
  const auto policy = make_classify_policy({});
  const auto one = policy(request), two = policy(request);
  EXPECT_EQ(one.group, complexity_group::fast_group);
  EXPECT_EQ(one.reason, two.reason);
  EXPECT_EQ(one.complexity, two.complexity);
  EXPECT_EQ(one.predicted_tokens, 16U);
}

TEST(route, a_policy_of_another_program_cannot_do_harm) {
  sequence_request request;
  request.prompt = std::make_shared<const std::vector<token_id>>(20, 7);
  const auto usual = make_classify_policy({})(request);
  const auto thrown = guarded([](auto&) -> classification { throw std::runtime_error("no table"); })(request);
  EXPECT_EQ(thrown.group, usual.group);
  EXPECT_EQ(thrown.reason, "the policy failed (no table), so: " + usual.reason);
  EXPECT_EQ(guarded([](auto&) -> classification { throw 7; })(request).lane, usual.lane);
  EXPECT_EQ(guarded({})(request).lane, usual.lane);
  const auto urgency = [&](float value) {
    return guarded([value](auto&) { return classification{.urgency = value}; })(request).urgency;
  };
  EXPECT_EQ(urgency(7), 1.0F);
  EXPECT_EQ(urgency(-1), 0.0F);
  EXPECT_EQ(urgency(std::numeric_limits<float>::quiet_NaN()), 0.0F);
  EXPECT_EQ(urgency(0.5F), 0.5F);
}

TEST(rank, urgency_moves_a_request_by_a_bounded_time) {
  sequence_request poor, rich;
  poor.arrival = steady_time{1h};
  rich.classification.urgency = 1;
  rich.classification.group = complexity_group::fast_group;
  rich.arrival = poor.arrival + 20s;
  EXPECT_LT(rank_of(rich), rank_of(poor));
  rich.arrival = poor.arrival + 60s;
  EXPECT_GT(rank_of(rich), rank_of(poor)) << "after a minute nobody overtakes";
  rich.tag.priority = -2'000'000'000;
  poor.tag.priority = 2'000'000'000;
  rich.arrival = poor.arrival + 120s;
  EXPECT_GT(rank_of(rich), rank_of(poor)) << "absurd priorities are bounded too";
}

}  // namespace
}  // namespace neap::schedule
