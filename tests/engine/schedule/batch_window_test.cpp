#include "engine/schedule/batch_window.hpp"

#include <gtest/gtest.h>

namespace neap::schedule {
namespace {

using namespace std::chrono_literals;

class windows : public ::testing::Test {
 protected:
  // Arrivals `gap` apart; the last one at `now`.
  void arrive(steady_duration gap, int count) {
    for (int i = 0; i < count; ++i) window.arrived(now += gap);
  }

  batch_window window{75ms, 8};
  steady_time now{1h};
};

TEST_F(windows, never_hold_on_an_idle_executor) {
  arrive(5ms, 10);
  EXPECT_FALSE(window.should_wait(now, now, 1, false));
}

TEST_F(windows, never_hold_the_first_of_all) {
  arrive(0ms, 1);
  EXPECT_FALSE(window.should_wait(now, now, 1, true));
}

TEST_F(windows, hold_while_company_is_likely) {
  arrive(10ms, 20);
  EXPECT_TRUE(window.should_wait(now, now, 1, true));
  EXPECT_TRUE(window.should_wait(now + 10ms, now, 1, true));
}

TEST_F(windows, end_on_time) {
  arrive(10ms, 20);
  EXPECT_FALSE(window.should_wait(now + 75ms, now, 1, true));
}

TEST_F(windows, end_early_when_nobody_came_although_due) {
  arrive(10ms, 20);
  EXPECT_FALSE(window.should_wait(now + 40ms, now, 1, true)) << "four gaps have passed";
}

TEST_F(windows, do_not_hold_a_full_group) {
  arrive(1ms, 20);
  EXPECT_TRUE(window.should_wait(now, now, 7, true));
  EXPECT_FALSE(window.should_wait(now, now, 8, true));
}

TEST_F(windows, do_not_hold_when_arrivals_are_rare) {
  arrive(500ms, 20);
  EXPECT_FALSE(window.should_wait(now, now, 1, true));
}

TEST_F(windows, of_zero_length_never_hold) {
  batch_window off{0ms, 8};
  for (int i = 0; i < 20; ++i) off.arrived(now += 1ms);
  EXPECT_FALSE(off.should_wait(now, now, 1, true));
}

}  // namespace
}  // namespace neap::schedule
