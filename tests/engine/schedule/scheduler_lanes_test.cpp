// Who gives way to whom: lanes, the share of SINGLE_PROCESS, and sequences that wait for a block.

#include "tests/engine/schedule/scheduler_world.hpp"

#include <gtest/gtest.h>

namespace neap::test {
namespace {

using namespace std::chrono_literals;

constexpr auto plain_group = complexity_group::default_batch;
constexpr auto single_group = complexity_group::single_process;

// Steps until the sequence has its first token.
int steps_to_first_token(scheduler_world& world, sequence_id id) {
  int steps = 0;
  world.pump();
  for (; world.of(id).tokens.empty() && steps < 1000 && world.complete(); ++steps) world.pump();
  return steps;
}

// Invariant 6: a better lane does not wait because worse ones fill the running set.
TEST(scheduler_lanes, a_better_lane_does_not_wait_for_a_place) {
  scheduler_world world{small_limits(64, 2)};
  const auto first = world.submit({10, 200, plain_group, 0.25F, {}});
  const auto second = world.submit({10, 200, plain_group, 0.0F, {}});
  EXPECT_LT(steps_to_first_token(world, second), 5);
  const auto urgent = world.submit({10, 4, plain_group, 1.0F, {}});
  EXPECT_LT(steps_to_first_token(world, urgent), 6);
  world.run();
  EXPECT_EQ(world.of(second).preemptions, 1U) << "the worse lane gave way, once";
  EXPECT_EQ(world.of(first).preemptions, 0U);
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, a_better_lane_does_not_wait_for_blocks) {
  scheduler_world world{small_limits(20, 8)};
  for (int i = 0; i < 2; ++i) world.submit({100, 40, plain_group, 0.0F, {}});
  world.pump();
  for (int i = 0; i < 6 && world.complete(); ++i) world.pump();
  const auto urgent = world.submit({150, 4, plain_group, 1.0F, {}});
  EXPECT_LT(steps_to_first_token(world, urgent), 12);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, nobody_gives_way_when_a_place_is_about_to_be_free) {
  scheduler_world world{small_limits(64, 4)};
  for (int i = 0; i < 4; ++i) world.submit({10, 60, plain_group, 0.0F, {}});
  world.pump();
  for (int i = 0; i < 5 && world.complete(); ++i) world.pump();
  world.cancel(1);
  const auto urgent = world.submit({10, 4, plain_group, 1.0F, {}});
  EXPECT_LT(steps_to_first_token(world, urgent), 6);
  EXPECT_EQ(world.scheduler.counts().preemptions, 0U);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, a_better_rank_in_the_same_lane_waits_its_turn) {
  scheduler_world world{small_limits(64, 2)};
  for (int i = 0; i < 2; ++i) world.submit({10, 30, plain_group, 0.25F, {}});
  world.pump();
  for (int i = 0; i < 3 && world.complete(); ++i) world.pump();
  world.submit({10, 4, complexity_group::fast_group, 0.25F, {}});
  world.run();
  EXPECT_EQ(world.scheduler.counts().preemptions, 0U);
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, equals_wait_their_turn) {
  scheduler_world world{small_limits(64, 2)};
  for (int i = 0; i < 6; ++i) {
    world.now += 1ms;
    world.submit({10, 30, plain_group, 1.0F, {}});
  }
  world.run();
  EXPECT_EQ(world.scheduler.counts().preemptions, 0U);
  EXPECT_EQ(world.fault_at_rest(), "");
}

// Ageing: one urgent arrival after another pushes the same victim out for a bounded time only.
TEST(scheduler_lanes, a_victim_gets_through_in_the_end) {
  scheduler_world world{small_limits(64, 1)};
  const auto victim = world.submit({10, 60, plain_group, 0.0F, {}});
  const auto begin = world.now;
  while (world.of(victim).finish == finish_reason::none && world.now - begin < 10min) {
    world.now += 100ms;
    if ((world.now - begin) % 1s == 0s) world.submit({10, 8, plain_group, 1.0F, {}});
    world.complete();
    world.pump();
    ASSERT_EQ(world.fault(), "");
  }
  EXPECT_LE(world.now - begin, 120s);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

// The last of the running set keeps its blocks while it waits for another: nobody needs them.
TEST(scheduler_lanes, who_waits_for_a_block_keeps_the_others) {
  scheduler_world world{small_limits(4, 2)};
  const auto older = world.submit({16, 16}), newer = world.submit({16, 30});
  world.run();
  EXPECT_EQ(world.of(older).preemptions + world.of(newer).preemptions, 0U);
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, single_process_sequences_share_half_of_the_pool) {
  scheduler_world world{small_limits(64, 8)};
  const auto first = world.submit({400, 20, single_group, 0.25F, {}});
  const auto second = world.submit({400, 20, single_group, 0.25F, {}});
  const auto third = world.submit({20, 20, single_group, 0.25F, {}});
  const auto plain = world.submit({200, 20, plain_group, 0.25F, {}});
  EXPECT_LT(steps_to_first_token(world, plain), 10) << "long prompts are not in its way";
  EXPECT_TRUE(world.of(second).tokens.empty());
  steps_to_first_token(world, second);
  EXPECT_EQ(world.of(first).finish, finish_reason::length) << "the second waits for the first";
  EXPECT_TRUE(world.of(third).tokens.empty()) << "and a small one does not slip in between";
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, a_single_process_prompt_larger_than_its_share_runs) {
  scheduler_world world{small_limits(64, 8)};
  world.submit({900, 20, single_group, 0.25F, {}});
  world.submit({900, 20, single_group, 0.25F, {}});
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(scheduler_lanes, a_single_process_prompt_leaves_half_of_a_step_to_other_prompts) {
  scheduler_world world{small_limits(64, 8)};
  const auto single = world.submit({400, 3, single_group, 0.25F, {}});
  world.pump();
  world.now += 1ms;
  const auto plain = world.submit({64, 3, plain_group, 0.25F, {}});
  EXPECT_LE(steps_to_first_token(world, plain), 4);
  EXPECT_TRUE(world.of(single).tokens.empty());
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

}  // namespace
}  // namespace neap::test
