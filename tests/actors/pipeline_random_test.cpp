// R8: requests, cancels, deadlines and killed request actors at random moments, messages of random actors in
// random order. A seed that ever failed stays in the range for good.

#include "tests/actors/node_world.hpp"

namespace neap::test {
namespace {

using namespace neap::actors;

class pipeline_random : public node_world, public ::testing::WithParamInterface<unsigned> {
 protected:
  static constexpr std::uint32_t wanted = 200;

  // One whole simulation; what is wrong at its end.
  std::string simulate(unsigned seed) {
    random_.seed(seed);
    clients.clear();
    request_actors.clear();
    submitted_ = 0;
    start({12 + below(30), 1 + below(8), 1000, 1000});
    while (submitted_ < wanted || !scheduler.jobs.empty()) {
      disturb();
      if (!run_random(random_)) advance(std::chrono::milliseconds{1 + below(30)});
      if (!device->faults().empty()) break;
    }
    return fault_at_rest();
  }

  // Everything that clients received, as one number.
  std::size_t digest() const {
    std::string all;
    for (const auto& [id, each] : clients) {
      all += each.sink->failure() != nullptr ? each.sink->failure()->message : "|";
      for (const auto token : each.sink->tokens()) all += ' ' + std::to_string(token);
    }
    return std::hash<std::string>{}(all);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  request_id any_request() { return 1 + below(static_cast<std::uint32_t>(submitted_)) + first_; }

  void disturb() {
    if (submitted_ < wanted && below(10) == 0) submit_any();
    if (submitted_ == 0) return;
    if (below(60) == 0) cancel(any_request());
    if (below(400) != 0) return;
    const auto victim = request_actors.find(any_request());
    if (victim != request_actors.end()) caf::anon_send_exit(victim->second, caf::exit_reason::kill);
  }

  void submit_any() {
    auto request = request_of(std::string(1 + below(60), static_cast<char>('a' + below(26))), 1 + below(50));
    request.stop.ignore_eos = below(2) == 0;
    request.tag.tier = below(3) == 0 ? service_tier::vip : service_tier::standard;
    request.tag.type = below(3) == 0 ? request_type::batch : request_type::interactive;
    request.choices_per_prompt = below(4) == 0 ? 3 : 1;
    if (below(4) == 0) request.prompts.emplace_back(text_prompt{"another prompt"});
    if (below(8) == 0) request.deadline = std::chrono::milliseconds{1 + below(200)};
    submit(std::move(request));
    if (submitted_++ == 0) first_ = clients.begin()->first - 1;
  }

  std::mt19937 random_;
  std::uint32_t submitted_ = 0;
  request_id first_ = 0;
};

TEST_P(pipeline_random, every_request_ends_once_and_nothing_is_held) {
  ASSERT_EQ(simulate(GetParam()), "");
  if (GetParam() % 25 != 0) return;
  const auto before = digest();
  ASSERT_EQ(simulate(GetParam()), "");
  EXPECT_EQ(digest(), before) << "the same seed must give the same run";
}

INSTANTIATE_TEST_SUITE_P(seeds, pipeline_random, ::testing::Range(0U, 500U));

}  // namespace
}  // namespace neap::test
