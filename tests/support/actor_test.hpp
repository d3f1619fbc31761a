#pragma once
// Actors in virtual time on one thread: nothing runs and no timer fires unless the test says so.

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace neap::test {

class actor_test : public ::testing::Test {
 protected:
  struct test_config : caf::actor_system_config {
    test_config() { set("scheduler.policy", caf::atom("testing")); }
  };

  actor_test() { advance(std::chrono::hours{1}); }

  // Handles messages until none is left; no timers.
  std::size_t run() {
    std::size_t count = 0;
    while (scheduler.try_run_once()) ++count;
    return count;
  }

  // Handles one message of an actor chosen at random. False if there is none.
  bool run_random(std::mt19937& random) {
    auto& jobs = scheduler.jobs;
    if (jobs.empty()) return false;
    const auto at = static_cast<std::ptrdiff_t>(random() % jobs.size());
    std::rotate(jobs.begin(), jobs.begin() + at, jobs.begin() + at + 1);
    scheduler.run_once();
    return true;
  }

  // Handles one message of any other actor. False if there is none.
  template <class Handle>
  bool run_all_but(const Handle& handle) {
    const auto id = handle.id();
    auto& jobs = scheduler.jobs;
    for (auto job = jobs.begin(); job != jobs.end(); ++job) {
      const auto* actor = dynamic_cast<caf::scheduled_actor*>(*job);
      if (actor != nullptr && actor->id() == id) continue;
      std::rotate(jobs.begin(), job, job + 1);
      scheduler.run_once();
      return true;
    }
    return false;
  }

  // Handles one message of this actor. False if it has none.
  template <class Handle>
  bool step(const Handle& handle) {
    if (!scheduler.prioritize(handle)) return false;
    scheduler.run_once();
    return true;
  }

  // Moves the clock and fires what is due; run() handles it.
  void advance(std::chrono::nanoseconds by) { scheduler.advance_time(by); }

  auto now() { return scheduler.clock().now(); }

  test_config config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
};

}  // namespace neap::test
