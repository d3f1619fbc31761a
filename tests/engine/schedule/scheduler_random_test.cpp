// Random requests, cancels and step times against tiny pools: invariants 1, 3, 4, 5 and 7 after every event.

#include "tests/engine/schedule/scheduler_world.hpp"

#include <gtest/gtest.h>

#include <random>

namespace neap::test {
namespace {

class random_walk {
 public:
  explicit random_walk(unsigned seed) : random_(seed), world_(limits()) {}

  // Makes about one step in `period` fail.
  void let_steps_fail(std::uint32_t period) {
    world_.steps_fail = true;
    world_.device.before_step = [this, period](const batch_plan&) {
      return below(period) == 0 ? std::optional<error>{error{error_code::internal, "fault", ""}}
                                : std::nullopt;
    };
  }

  std::string run() {
    for (int event = 0; event < 600; ++event) {
      world_.now += std::chrono::microseconds{below(20'000)};
      act();
      if (auto fault = world_.fault(); !fault.empty()) return "event " + std::to_string(event) + ": " + fault;
    }
    world_.device.before_step = nullptr;
    world_.lease();
    world_.run();
    return world_.fault_at_rest();
  }

  std::uint64_t preemptions() const { return world_.scheduler.counts().preemptions; }

 private:
  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>{0, n - 1}(random_);
  }

  schedule::scheduler_limits limits() {
    auto out = small_limits(8 + below(60), 1 + below(12));
    out.max_batch_tokens = out.max_sequences + below(64);
    out.prefill_tokens_beside_decodes = 1 + below(40);
    out.emergency_blocks = below(out.total_blocks / 10 + 1);
    out.lease_step = 1 + below(16);
    out.window = std::chrono::milliseconds{below(2) * 75};
    return out;
  }

  void act() {
    const auto action = below(10);
    if (action < 2) submit();
    if (action == 2 && !world_.book().empty()) cancel();
    if (action == 3) world_.lease();
    if (action >= 4) world_.complete();
    world_.plan();
    if (below(4) != 0) world_.lease();
  }

  void submit() {
    sequence_options options;
    options.prompt_tokens = 1 + below(below(4) == 0 ? 120 : 30);
    options.max_tokens = below(6) == 0 ? 0 : 1 + below(40);
    options.embeds = options.max_tokens == 0 && below(2) == 0;
    options.prompt_logprobs = below(5) == 0;
    options.group = static_cast<complexity_group>(below(3));
    options.urgency = static_cast<float>(below(5)) / 4;
    if (below(2) == 0)
      for (int i = 0; i < 30; ++i) options.stop_token_ids.push_back(static_cast<token_id>(below(1000)));
    world_.submit(options);
  }

  void cancel() {
    auto at = world_.book().begin();
    std::advance(at, below(static_cast<std::uint32_t>(world_.book().size())));
    world_.cancel(at->first);
  }

  std::mt19937 random_;
  scheduler_world world_;
};

TEST(scheduler_random, invariants_hold_after_every_event) {
  std::uint64_t preemptions = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    random_walk walk{seed};
    ASSERT_EQ(walk.run(), "") << "seed " << seed;
    preemptions += walk.preemptions();
  }
  EXPECT_GT(preemptions, 100U) << "the walks must reach preemption";
}

TEST(scheduler_random, failing_steps_leave_nothing_behind) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    random_walk walk{seed};
    walk.let_steps_fail(10 + seed % 50);
    ASSERT_EQ(walk.run(), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace neap::test
