// Crashes (R9): what is started again, what goes on, what ends, and when the node gives up.

#include "tests/actors/node_world.hpp"

#include <caf/event_based_actor.hpp>

#include <iterator>
#include <random>
#include <stdexcept>

namespace neap::test {
namespace {

using namespace neap::actors;
using namespace std::chrono_literals;

class supervision_test : public node_world {
 protected:
  void run_some(int messages) {
    for (int i = 0; i < messages; ++i) scheduler.try_run_once();
  }

  // Everything that is to happen within the longest delay of a restart.
  void settle() {
    for (int i = 0; i < 4; ++i) {
      run();
      advance(500ms);
    }
    run();
  }

  // Requests here have one choice each: ingress numbers sequences as they come.
  request_id owner_of(sequence_id id) const {
    auto at = clients.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(id - 1));
    return at->first;
  }

  template <class Handle>
  bool has_message(const Handle& handle) {
    return std::any_of(scheduler.jobs.begin(), scheduler.jobs.end(), [&](caf::resumable* job) {
      const auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
      return actor != nullptr && actor->id() == handle.id();
    });
  }

  int failures() const {
    int count = 0;
    for (const auto& [id, each] : clients) count += each.sink->failure() != nullptr ? 1 : 0;
    return count;
  }

  void expect_next_request_works() {
    const auto& next = submit("next", 5);
    settle();
    EXPECT_EQ(next.sink->failure(), nullptr);
    EXPECT_EQ(fault_at_rest(), "");
  }

  // Messages handled until the load of start_load() is about so far.
  static constexpr int moments[] = {1, 4, 9, 15, 25, 40, 70, 120, 200, 350};

  void start_load() {
    start({64, 3});
    for (int i = 0; i < 6; ++i) submit("a request with its own prompt " + std::to_string(i), 40);
  }
};

TEST_F(supervision_test, sequences_of_a_crashed_executor_go_on_without_losing_or_repeating_a_token) {
  for (const int moment : moments) {
    SCOPED_TRACE(moment);
    start_load();
    run_some(moment);
    crash(peer().executor);
    settle();
    EXPECT_EQ(failures(), 0);
    EXPECT_EQ(fault_at_rest(), "") << "right tokens, and nothing held";
    EXPECT_EQ(figure(supervisor, "restarts_gpu_executor"), "1");
    EXPECT_EQ(ready->load(), readiness::ready);
    expect_next_request_works();
  }
}

// The check itself: an answer with a token too few, or one twice, is seen.
TEST_F(supervision_test, control_a_lost_or_repeated_token_is_seen) {
  for (const bool lose : {true, false}) {
    start_load();
    settle();
    ASSERT_EQ(fault_at_rest(), "");
    auto& events = clients.begin()->second.sink->events;
    const auto delta = std::find_if(events.begin(), events.end(), [](const stream_event& event) {
      return std::holds_alternative<stream_delta>(event);
    });
    if (lose) events.erase(delta);
    else events.insert(delta, stream_event{*delta});
    EXPECT_NE(fault_at_rest(), "");
  }
}

TEST_F(supervision_test, an_exception_in_a_step_is_a_crash_and_is_told) {  // C48
  for (const std::uint64_t step : {1U, 2U, 7U, 20U}) {
    SCOPED_TRACE(step);
    start_load();
    bool thrown = false;
    device->before_step = [&](const batch_plan& plan) -> std::optional<error> {
      if (thrown || plan.step != step) return std::nullopt;
      thrown = true;
      throw std::runtime_error("no more memory");
    };
    settle();
    EXPECT_TRUE(thrown);
    EXPECT_EQ(failures(), 0);
    EXPECT_EQ(fault_at_rest(), "");
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0], "gpu_executor crashed (no more memory); starting it again in 10 ms");
  }
}

TEST_F(supervision_test, a_request_that_crashes_every_executor_fails_and_the_others_live) {
  start({64, 8});
  auto& poison = submit("poison", 10);
  const auto code = token_id{100 + 'p'};
  device->before_step = [&](const batch_plan& plan) -> std::optional<error> {
    for (const auto& row : plan.rows)
      if (row.first_position == 0 && plan.tokens[row.token_begin] == code) throw std::runtime_error("poison");
    return std::nullopt;
  };
  settle();
  ASSERT_NE(poison.sink->failure(), nullptr);
  EXPECT_EQ(poison.sink->failure()->message, "the model crashed on this request");
  EXPECT_TRUE(fatal.empty());
  expect_next_request_works();
}

TEST_F(supervision_test, a_crashed_memory_manager_loses_no_request_and_no_block) {
  for (const int moment : moments) {
    SCOPED_TRACE(moment);
    start_load();
    run_some(moment);
    crash(peer().memory);
    settle();
    EXPECT_EQ(failures(), 0);
    EXPECT_EQ(fault_at_rest(), "");
    EXPECT_EQ(figure(peer().memory, "rejected_releases"), "0");
    expect_next_request_works();
  }
}

TEST_F(supervision_test, crashed_helpers_lose_no_request) {
  for (const int moment : moments)
    for (const auto* name : {"classifier", "text_encoder", "telemetry", "defrag_timer"}) {
      SCOPED_TRACE(std::string{name} + " at " + std::to_string(moment));
      start_load();
      run_some(moment);
      const auto now = peer();
      const std::string victim{name};
      if (victim == "classifier") crash(now.classifier);
      if (victim == "text_encoder") crash(now.encoder);
      if (victim == "telemetry") crash(now.telemetry);
      if (victim == "defrag_timer") crash(now.timer);
      settle();
      EXPECT_EQ(failures(), 0);
      EXPECT_EQ(fault_at_rest(), "");
      EXPECT_EQ(figure(supervisor, "restarts_" + victim), "1");
    }
}

TEST_F(supervision_test, every_request_of_a_crashed_batcher_or_ingress_ends_once) {
  for (const int moment : moments)
    for (const bool batcher : {true, false}) {
      SCOPED_TRACE(std::string{batcher ? "batcher" : "ingress"} + " at " + std::to_string(moment));
      start_load();
      run_some(moment);
      if (batcher) crash(peer().batcher);
      else crash(peer().ingress);
      settle();
      EXPECT_EQ(fault_at_rest(), "") << "ended once, right tokens where it finished, no block held";
      EXPECT_EQ(figure(peer().memory, "rejected_releases"), "0");
      expect_next_request_works();
    }
}

// R6: cancelled in every state, from queued to the last token; no step later than the second works for it.
TEST_F(supervision_test, two_hundred_aborts_leave_every_block_free_within_two_steps) {
  start({64, 4});
  std::mt19937 random{6};
  request_id victim = 0;
  std::uint64_t late_rows = 0, steps_after = 0;
  device->before_step = [&](const batch_plan& plan) -> std::optional<error> {
    if (victim == 0) return std::nullopt;
    ++steps_after;
    for (const auto& row : plan.rows)
      if (steps_after > 2 && owner_of(row.sequence) == victim) ++late_rows;
    return std::nullopt;
  };
  for (int i = 0; i < 200; ++i) {
    victim = 0;
    steps_after = 0;
    const auto first = submit("a prompt that takes several blocks " + std::string(i % 80, 'x'), 30).request->id;
    submit("a neighbour", 10);
    run_some(static_cast<int>(random() % 160));
    cancel(first);
    // The cancel's way to the batcher; from then on two steps may still have a row of it.
    while (step(peer().ingress) || (request_actors.contains(first) && step(request_actors.at(first)))) continue;
    while (has_message(peer().batcher)) step(peer().batcher);
    victim = first;
    run();
    EXPECT_EQ(late_rows, 0U) << "abort " << i;
    ASSERT_EQ(fault_at_rest(), "") << "abort " << i;
  }
  EXPECT_EQ(figure(peer().memory, "rejected_releases"), "0");
}

TEST_F(supervision_test, the_fourth_crash_in_a_minute_gives_up) {
  start_load();
  for (int i = 0; i < 3; ++i) {
    run_some(20);
    crash(peer().executor);
    settle();
    EXPECT_TRUE(fatal.empty());
  }
  submit("open", 500);
  run_some(60);
  crash(peer().classifier);
  settle();
  ASSERT_EQ(fatal.size(), 1U);
  EXPECT_NE(fatal[0].find("classifier crashed too often"), std::string::npos) << fatal[0];
  EXPECT_EQ(ready->load(), readiness::failed);
  for (const auto& [id, each] : clients) EXPECT_NE(each.sink->end(), nullptr) << "request " << id;
}

TEST_F(supervision_test, crashes_far_apart_are_forgotten) {
  start();
  for (int i = 0; i < 8; ++i) {
    crash(peer().executor);
    settle();
    advance(30s);
  }
  EXPECT_TRUE(fatal.empty());
  expect_next_request_works();
}

TEST_F(supervision_test, a_stuck_step_is_told_and_readiness_comes_back) {
  start({64, 3});
  submit("request", 40);
  // Up to the first plan: the executor's first message.
  while (scheduler.jobs.size() > 0 && !has_message(peer().executor)) scheduler.run_once();
  for (int i = 0; i < 50; ++i) {  // all but the executor run
    advance(1s);
    while (run_all_but(peer().executor)) continue;
  }
  EXPECT_EQ(ready->load(), readiness::failed);
  ASSERT_EQ(log.size(), 1U);
  EXPECT_NE(log[0].find("the executor is stuck"), std::string::npos);
  run();
  advance(10s);
  run();
  EXPECT_EQ(ready->load(), readiness::ready);
  EXPECT_EQ(log.size(), 2U);
  EXPECT_EQ(fault_at_rest(), "");
}

TEST_F(supervision_test, the_end_of_the_supervisor_is_the_end_of_the_node) {
  start_load();
  run_some(60);
  crash(supervisor);
  run();
  EXPECT_EQ(peers->load(), nullptr);
  EXPECT_EQ(fatal.size(), 1U);
  for (const auto& [id, each] : clients) EXPECT_NE(each.sink->end(), nullptr) << "request " << id;
}

TEST_F(supervision_test, the_drain_survives_a_crashed_ingress) {
  start_load();
  run_some(60);
  std::optional<bool> complete;
  system.spawn([&complete, to = supervisor](caf::event_based_actor* self) {
    self->request(to, caf::infinite, drain_a::value, std::uint64_t{5000})
        .then([&complete](bool all) { complete = all; });
  });
  run_some(5);
  crash(peer().ingress);
  settle();
  EXPECT_EQ(complete, false);
  const auto& late = submit("late", 5);
  settle();
  ASSERT_NE(late.sink->failure(), nullptr);
  EXPECT_EQ(late.sink->failure()->code, error_code::draining);
}

}  // namespace
}  // namespace neap::test
