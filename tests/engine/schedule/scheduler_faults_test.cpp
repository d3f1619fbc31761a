// Failing steps, lost executors, late answers.

#include "tests/engine/schedule/scheduler_world.hpp"

#include <gtest/gtest.h>

namespace neap::test {
namespace {

error broken() { return {error_code::internal, "the device is broken", ""}; }

TEST(scheduler_faults, a_failed_step_fails_its_sequences_and_no_later_ones) {
  for (std::uint64_t at = 1; at < 8; ++at) {
    scheduler_world world{small_limits(64, 2)};
    world.device.before_step = [at](const batch_plan& plan) {
      return plan.step == at ? std::optional<error>{broken()} : std::nullopt;
    };
    for (int i = 0; i < 4; ++i) world.submit({20, 6});
    world.run();
    int failed = 0;
    for (const auto& [id, entry] : world.book()) {
      EXPECT_NE(entry.finish, finish_reason::none);
      failed += entry.finish == finish_reason::failed ? 1 : 0;
    }
    EXPECT_GE(failed, at == 1 ? 1 : 0);
    const auto after = world.submit({20, 6});
    world.run();
    EXPECT_EQ(world.of(after).finish, finish_reason::length) << "the next request works";
    EXPECT_EQ(world.scheduler.counts().blocks_used, 0U);
    EXPECT_TRUE(world.scheduler.idle());
    EXPECT_EQ(world.device.open_sequences(), 0U) << "failed at step " << at;
  }
}

// A new executor knows nothing: sequences are opened again with the answer so far and go on from there.
TEST(scheduler_faults, sequences_of_a_lost_executor_go_on_with_the_next) {
  for (int steps = 0; steps < 12; ++steps) {
    scheduler_world world{small_limits(64, 2)};
    for (int i = 0; i < 4; ++i) world.submit({20, 6});
    world.pump();
    for (int i = 0; i < steps; ++i)
      if (world.complete()) world.pump();
    EXPECT_TRUE(world.scheduler.requeue_all(broken()).empty());
    EXPECT_EQ(world.scheduler.counts().blocks_used, 0U);
    EXPECT_TRUE(world.scheduler.consistent());
    world.in_flight().clear();
    world.device.reset(0);
    world.run();
    for (const auto& [id, entry] : world.book()) EXPECT_EQ(entry.finish, finish_reason::length) << steps;
    EXPECT_TRUE(world.device.faults().empty());
    EXPECT_TRUE(world.scheduler.idle());
    EXPECT_EQ(world.device.open_sequences(), 0U);
  }
}

TEST(scheduler_faults, a_sequence_that_loses_executor_after_executor_fails) {
  scheduler_world world{small_limits(64, 2)};
  const auto id = world.submit({20, 6});
  for (std::uint32_t i = 1; i < schedule::batch_scheduler::max_crashes; ++i) {
    world.pump();
    EXPECT_TRUE(world.scheduler.requeue_all(broken()).empty());
    world.in_flight().clear();
  }
  world.pump();
  const auto updates = world.scheduler.requeue_all(broken());
  ASSERT_EQ(updates.size(), 1U);
  EXPECT_EQ(updates[0].sequence, id);
  EXPECT_EQ(updates[0].finish, finish_reason::failed);
  EXPECT_TRUE(world.scheduler.idle());
}

// The answer to a step from before requeue_all() must not be taken for the answer to a newer one.
TEST(scheduler_faults, late_answers_of_a_lost_executor_are_ignored) {
  scheduler_world world{small_limits(64, 2)};
  world.submit({20, 6});
  world.pump();
  const auto old = world.in_flight().front();
  world.in_flight().clear();
  world.scheduler.requeue_all(broken());
  const auto id = world.submit({20, 6});
  world.pump();
  step_result late;
  late.step = old.step;
  late.rows.resize(old.rows.size());
  EXPECT_TRUE(world.scheduler.complete(late, world.now).empty());
  EXPECT_EQ(world.scheduler.counts().plans_in_flight, 2U);
  while (world.complete()) world.pump();
  EXPECT_EQ(world.of(id).finish, finish_reason::length);
}

TEST(scheduler_faults, a_row_that_is_not_a_number_fails_alone) {
  scheduler_world world{small_limits(64, 2)};
  const auto bad = world.submit({20, 6}), good = world.submit({20, 6});
  world.pump();
  const auto plan = world.in_flight().front();
  world.in_flight().pop_front();
  auto outcome = world.device.run(plan);
  ASSERT_TRUE(outcome);
  for (auto& row : outcome->rows)
    if (row.sequence == bad) {
      row.token = -1;
      row.finish = finish_reason::failed;
    }
  const auto updates = world.scheduler.complete(*outcome, world.now);
  ASSERT_EQ(updates.size(), 2U);
  for (const auto& update : updates) {
    EXPECT_EQ(update.finish == finish_reason::failed, update.sequence == bad);
    EXPECT_EQ(update.failure.has_value(), update.sequence == bad);
  }
  while (world.complete()) world.pump();
  EXPECT_EQ(world.of(good).finish, finish_reason::length);
  EXPECT_TRUE(world.scheduler.idle());
}

// A row without the token that was asked for, or skipped although its sequence runs, would stall for ever.
TEST(scheduler_faults, a_row_without_its_token_fails_its_sequence) {
  for (const bool skipped : {true, false}) {
    scheduler_world world{small_limits(64, 2)};
    const auto id = world.submit({20, 6});
    world.pump();
    const auto plan = world.in_flight().front();
    world.in_flight().pop_front();
    auto outcome = world.device.run(plan);
    ASSERT_TRUE(outcome);
    outcome->rows[0].token = -1;
    outcome->rows[0].skipped = skipped;
    const auto updates = world.scheduler.complete(*outcome, world.now);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].sequence, id);
    EXPECT_EQ(updates[0].finish, finish_reason::failed);
    world.pump();
    while (world.complete()) world.pump();
    EXPECT_TRUE(world.scheduler.idle());
    EXPECT_EQ(world.scheduler.counts().blocks_used, 0U);
  }
}

}  // namespace
}  // namespace neap::test
