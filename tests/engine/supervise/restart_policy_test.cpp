#include "engine/supervise/restart_policy.hpp"

#include <gtest/gtest.h>

namespace neap::supervise {
namespace {

using namespace std::chrono_literals;

TEST(restart_policy, the_delay_doubles_up_to_its_limit) {
  restart_policy policy({10, 60s, 10ms, 50ms});
  const steady_time start{1h};
  EXPECT_EQ(policy.lost(start), 10ms);
  EXPECT_EQ(policy.lost(start + 1s), 20ms);
  EXPECT_EQ(policy.lost(start + 2s), 40ms);
  EXPECT_EQ(policy.lost(start + 3s), 50ms);
  EXPECT_EQ(policy.lost(start + 4s), 50ms);
  EXPECT_EQ(policy.restarts(), 5U);
}

TEST(restart_policy, one_restart_too_many_in_the_window_gives_up) {
  restart_policy policy({3, 60s, 10ms, 500ms});
  const steady_time start{1h};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(policy.lost(start + i * 1s));
  EXPECT_FALSE(policy.lost(start + 59s));
  EXPECT_EQ(policy.restarts(), 3U);
}

TEST(restart_policy, old_restarts_leave_the_window) {
  restart_policy policy({3, 60s, 10ms, 500ms});
  const steady_time start{1h};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(policy.lost(start + i * 1s));
  EXPECT_EQ(policy.lost(start + 60s), 40ms) << "the first has left";
  EXPECT_FALSE(policy.lost(start + 60s));
  EXPECT_EQ(policy.lost(start + 200s), 10ms);
}

}  // namespace
}  // namespace neap::supervise
