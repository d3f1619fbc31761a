#include "tests/engine/schedule/scheduler_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace neap::test {
namespace {

using namespace std::chrono_literals;

std::uint32_t tokens_of(const batch_plan& plan, sequence_id id) {
  for (const auto& row : plan.rows)
    if (row.sequence == id) return row.token_count;
  return 0;
}

TEST(batch_scheduler, a_lone_request_starts_at_once_and_is_planned_one_ahead) {
  auto limits = small_limits(64);
  limits.window = 75ms;
  scheduler_world world{limits};
  const auto id = world.submit({10, 4, complexity_group::fast_group, 0.5F, {}});
  world.pump();
  ASSERT_EQ(world.in_flight().size(), 2U);
  EXPECT_EQ(tokens_of(world.in_flight()[0], id), 10U);
  ASSERT_EQ(world.in_flight()[1].tokens, std::vector<token_id>{last_sampled_token});
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
  EXPECT_EQ(world.of(id).finish, finish_reason::length);
}

TEST(batch_scheduler, a_stop_token_ends_a_sequence_and_its_extra_row_is_skipped) {
  scheduler_world world{small_limits(64)};
  sequence_options options{10, 60};
  for (token_id even = 0; even < 1000; even += 2) options.stop_token_ids.push_back(even);
  const auto id = world.submit(options);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
  EXPECT_EQ(world.of(id).finish, finish_reason::stop);
  EXPECT_EQ(world.device.rows_of(id), world.of(id).tokens.size())
      << "one row a token, the prompt in the first";
}

// Blocks that a long prompt waits for are not handed back as surplus while streams keep the executor busy.
TEST(batch_scheduler, a_long_prompt_gets_its_blocks_beside_streams) {
  scheduler_world world{small_limits(200)};
  const auto stream = world.submit({10, 400});
  world.pump();
  const auto long_prompt = world.submit({1000, 4});
  while (world.of(long_prompt).tokens.empty() && world.complete()) world.pump();
  EXPECT_LT(world.of(stream).tokens.size(), 60U);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(batch_scheduler, long_prompts_go_in_chunks_within_the_budget) {
  scheduler_world world{small_limits(64)};
  const auto id = world.submit({150, 3});
  std::vector<std::uint32_t> chunks;
  world.pump();
  while (!world.in_flight().empty()) {
    if (const auto n = tokens_of(world.in_flight().front(), id); n > 1) chunks.push_back(n);
    world.complete();
    world.pump();
  }
  EXPECT_EQ(chunks, (std::vector<std::uint32_t>{64, 64, 22}));
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(batch_scheduler, a_sequence_without_an_answer_ends_with_its_prompt) {
  for (const std::uint32_t length : {1U, 2U, 63U, 64U, 65U, 129U, 150U}) {
    scheduler_world world{small_limits(64)};
    sequence_options options{length, 0};
    options.embeds = true;
    options.prompt_logprobs = true;
    const auto beside = world.submit({10, 20});
    const auto id = world.submit(options);
    world.run();
    EXPECT_EQ(world.fault_at_rest(), "") << length;
    EXPECT_EQ(world.of(id).finish, finish_reason::length);
    EXPECT_EQ(world.of(beside).tokens.size(), 20U);
  }
}

TEST(batch_scheduler, prompts_leave_room_for_decodes) {
  scheduler_world world{small_limits(64)};
  const auto first = world.submit({10, 40});
  world.pump();
  const auto second = world.submit({200, 3});
  for (int step = 0; step < 6; ++step) {
    world.complete();
    world.pump();
    const auto& latest = world.in_flight().back();
    EXPECT_EQ(tokens_of(latest, first), 1U) << "the stream keeps its pace";
    EXPECT_LE(tokens_of(latest, second), 32U);
  }
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(batch_scheduler, one_single_process_prompt_a_step) {
  scheduler_world world{small_limits(64)};
  sequence_options single{20, 3, complexity_group::single_process, 0.25F, {}};
  const auto first = world.submit(single), second = world.submit(single);
  const auto other = world.submit({20, 3});
  world.pump();
  const auto& plan = world.in_flight().front();
  EXPECT_EQ(tokens_of(plan, first), 20U);
  EXPECT_EQ(tokens_of(plan, second), 0U);
  EXPECT_EQ(tokens_of(plan, other), 20U);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(batch_scheduler, fast_group_and_urgent_requests_overtake) {
  scheduler_world world{small_limits(64, 1)};
  const auto running = world.submit({10, 4});
  world.pump();
  const auto plain = world.submit({10, 2});
  const auto fast = world.submit({10, 2, complexity_group::fast_group, 0.25F, {}});
  const auto urgent = world.submit({10, 2, complexity_group::default_batch, 1.0F, {}});
  std::vector<sequence_id> order;
  while (world.complete()) {
    world.pump();
    for (const auto& [id, entry] : world.book())
      if (!entry.tokens.empty() && std::find(order.begin(), order.end(), id) == order.end())
        order.push_back(id);
  }
  EXPECT_EQ(order, (std::vector<sequence_id>{running, urgent, fast, plain}));
}

// Invariant 6: with one urgent arrival after another, the least urgent request still gets its turn.
TEST(batch_scheduler, ageing_bounds_the_wait) {
  scheduler_world world{small_limits(64, 1)};
  world.submit({10, 4, complexity_group::default_batch, 1.0F, {}});
  world.pump();
  const auto poor = world.submit({10, 2, complexity_group::default_batch, 0.0F, {}});
  const auto begin = world.now;
  while (world.of(poor).tokens.empty() && world.now - begin < 10min) {
    world.now += 1s;
    world.submit({10, 2, complexity_group::fast_group, 1.0F, {}});
    world.complete();
    world.pump();
  }
  EXPECT_LE(world.now - begin, 120s);
}

TEST(batch_scheduler, refuses_what_could_not_run_even_alone) {
  scheduler_world world{small_limits(4)};
  EXPECT_EQ(world.submit({60, 5}), 0U);
  ASSERT_TRUE(world.last_refusal);
  EXPECT_EQ(world.last_refusal->code, error_code::context_length_exceeded);
  EXPECT_NE(world.last_refusal->message.find("60"), std::string::npos);
  EXPECT_NE(world.last_refusal->message.find("64"), std::string::npos);
  EXPECT_EQ(world.submit({1, 4'294'967'295U}), 0U) << "the sum must not wrap";
  EXPECT_NE(world.submit({60, 4}), 0U);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

TEST(batch_scheduler, refuses_when_the_queue_is_full) {
  auto limits = small_limits(64, 1);
  limits.max_waiting = 2;
  scheduler_world world{limits};
  world.submit();
  world.pump();
  EXPECT_NE(world.submit(), 0U);
  EXPECT_NE(world.submit(), 0U);
  EXPECT_EQ(world.submit(), 0U);
  EXPECT_EQ(world.last_refusal->code, error_code::server_overloaded);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

// Invariant 5, in each state; scheduler_world checks that no later plan has a row of it.
TEST(batch_scheduler, cancel_works_in_every_state) {
  for (int steps = 0; steps < 14; ++steps) {
    scheduler_world world{small_limits(64, 2)};
    const auto decoding = world.submit({10, 30});
    const auto prefilling = world.submit({300, 5});
    const auto waiting = world.submit({10, 5});
    world.pump();
    for (int i = 0; i < steps; ++i) {
      world.complete();
      world.pump();
    }
    for (const auto id : {decoding, prefilling, waiting}) {
      world.cancel(id);
      world.cancel(id);
    }
    world.pump();
    for (int i = 0; i < 2; ++i) {
      world.complete();
      world.pump();
    }
    EXPECT_EQ(world.scheduler.counts().blocks_used, 0U) << "after " << steps << " steps";
    world.run();
    ASSERT_EQ(world.fault_at_rest(), "") << "after " << steps << " steps";
  }
}

TEST(batch_scheduler, cancel_of_a_preempted_sequence) {
  scheduler_world world{small_limits(6, 4)};
  const auto first = world.submit({30, 40}), second = world.submit({30, 40});
  world.pump();
  while (world.scheduler.counts().preemptions == 0 && world.complete()) world.pump();
  ASSERT_GT(world.scheduler.counts().preemptions, 0U);
  world.cancel(second);
  world.pump();
  world.run();
  EXPECT_EQ(world.of(first).finish, finish_reason::length);
  EXPECT_EQ(world.fault_at_rest(), "");
}

// A pool of 64 blocks, 8 requests of 256 tokens.
TEST(batch_scheduler, preempted_sequences_end_with_the_same_tokens) {
  scheduler_world world{small_limits(64)};
  for (int i = 0; i < 8; ++i) ASSERT_NE(world.submit({20, 256}), 0U);
  world.run();
  EXPECT_GT(world.scheduler.counts().preemptions, 0U);
  EXPECT_EQ(world.fault_at_rest(), "");
}

// One victim's blocks are enough, though they come back only when its plan is done: giving up more would
// throw work away.
TEST(batch_scheduler, preempts_no_more_than_it_must) {
  auto limits = small_limits(50);
  limits.max_batch_tokens = 256;
  scheduler_world world{limits};
  for (int i = 0; i < 8; ++i) world.submit({10, 100});
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
  EXPECT_EQ(world.scheduler.counts().preemptions, 1U);
}

TEST(batch_scheduler, ends_without_any_plan_in_flight_are_told_to_the_device) {
  scheduler_world world{small_limits(64)};
  const auto id = world.submit({10, 1});
  world.run();
  EXPECT_EQ(world.of(id).tokens.size(), 1U);
  EXPECT_EQ(world.device.open_sequences(), 0U);
}

TEST(batch_scheduler, new_sequences_leave_the_emergency_blocks_alone) {
  auto limits = small_limits(21, 8);
  limits.emergency_blocks = 2;
  scheduler_world world{limits};
  for (int i = 0; i < 8; ++i) world.submit({40, 40});  // three blocks each at first: seven would fit
  world.pump();
  for (int i = 0; i < 6 && world.complete(); ++i) world.pump();
  EXPECT_EQ(world.scheduler.counts().blocks_used, 18U);
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

// The window holds a FAST_GROUP request on a busy executor for 75.000 ms and no longer.
TEST(batch_scheduler, the_window_ends_on_time) {
  auto limits = small_limits(64, 8);
  limits.window = 75ms;
  scheduler_world world{limits};
  world.submit({10, 400});
  for (int i = 0; i < 10; ++i) {  // one every 30 ms: company is likely
    world.now += 30ms;
    world.submit({10, 1, complexity_group::fast_group, 0.25F, {}});
    for (int step = 0; step < 4; ++step) {
      world.now += 40ms;
      world.pump();
      world.complete();
    }
    world.now -= 160ms;
  }
  world.now += 30ms;
  const auto held = world.submit({10, 2, complexity_group::fast_group, 0.25F, {}});
  const auto is_planned = [&] {
    world.complete();
    world.pump();
    return tokens_of(world.in_flight().back(), held) > 0;
  };
  EXPECT_FALSE(is_planned());
  world.now += 74'999us;
  EXPECT_FALSE(is_planned());
  world.now += 1us;
  EXPECT_TRUE(is_planned());
  world.run();
  EXPECT_EQ(world.fault_at_rest(), "");
}

// Another holder of the pool may have all blocks for a while: an empty answer is not the last word.
TEST(batch_scheduler, asks_again_after_an_empty_lease) {
  scheduler_world world{small_limits(64)};
  const auto first = world.submit({10, 60});
  world.pump();
  const auto others = world.pool.lease(64);
  const auto second = world.submit({300, 4});
  for (int i = 0; i < 8; ++i) {
    world.complete();
    world.pump();
  }
  EXPECT_TRUE(world.of(second).tokens.empty());
  ASSERT_TRUE(world.pool.release(others));
  world.run();
  EXPECT_EQ(world.of(first).finish, finish_reason::length);
  EXPECT_EQ(world.of(second).finish, finish_reason::length);
  EXPECT_EQ(world.fault_at_rest(), "");
}

}  // namespace
}  // namespace neap::test
