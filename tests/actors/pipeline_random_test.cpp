// Requests and cancels at random moments, messages of random actors in random order.

#include "tests/actors/node_world.hpp"

namespace neap::test {
namespace {

using namespace neap::actors;

class pipeline_random : public node_world, public ::testing::WithParamInterface<unsigned> {};

TEST_P(pipeline_random, every_request_ends_once_and_nothing_is_held) {
  std::mt19937 random{GetParam()};
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  start({12 + below(30), 1 + below(8), 1000, 1000});
  std::size_t submitted = 0;
  const std::size_t wanted = 40;
  while (submitted < wanted || !scheduler.jobs.empty()) {
    if (submitted < wanted && below(12) == 0) {
      auto request =
          request_of(std::string(1 + below(60), static_cast<char>('a' + below(26))), 1 + below(50));
      request.stop.ignore_eos = below(2) == 0;
      if (below(4) == 0) request.prompts.emplace_back(text_prompt{"another prompt"});
      submit(std::move(request));
      ++submitted;
    }
    if (submitted > 0 && below(60) == 0) cancel(1 + below(static_cast<std::uint32_t>(submitted)));
    if (!run_random(random)) advance(std::chrono::milliseconds{1 + below(30)});
    ASSERT_TRUE(device->faults().empty()) << device->faults().front();
  }
  EXPECT_EQ(fault_at_rest(), "");
}

INSTANTIATE_TEST_SUITE_P(seeds, pipeline_random, ::testing::Range(0U, 60U));

}  // namespace
}  // namespace neap::test
