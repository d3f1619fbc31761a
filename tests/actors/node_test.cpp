// The whole node on the real default model, without the network edge.

#include "tests/actors/real_node.hpp"

namespace neap::test {
namespace {

using namespace std::chrono_literals;

// R13, C59: each request its own text, alone and among sixteen, greedy and seeded.
TEST_F(real_node, gives_the_same_text_alone_and_in_a_crowd) {
  std::vector<std::string> alone;
  const auto prompt = [](int i) { return "The number " + std::to_string(i) + " is"; };
  for (int i = 0; i < 16; ++i) {
    const auto text = ask(prompt(i), 12, i % 2 == 0 ? 0.0F : 0.8F)->wait();
    ASSERT_TRUE(text);
    EXPECT_FALSE(text->empty());
    alone.push_back(*text);
  }
  std::vector<std::shared_ptr<waiting_sink>> sinks;
  for (int i = 0; i < 16; ++i) sinks.push_back(ask(prompt(i), 12, i % 2 == 0 ? 0.0F : 0.8F));
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(sinks[i]->wait(), alone[i]) << i;
}

TEST_F(real_node, cancels_and_comes_to_rest) {
  const auto sink = ask("Once upon a time", 1000);
  node->gateway().cancel(last_id);
  EXPECT_FALSE(sink->wait());
  EXPECT_EQ(sink->failure()->code, error_code::cancelled);
  EXPECT_TRUE(node->drain(10s));
  EXPECT_EQ(node->gateway().ready(), readiness::draining);
  EXPECT_TRUE(comes_to_rest()) << metrics();
  EXPECT_EQ(ask("late", 5)->wait(), std::nullopt);
}

TEST_F(real_node, ends_live_requests_when_it_goes) {
  const auto sink = ask("Once upon a time", 1000);
  node.reset();
  EXPECT_FALSE(sink->wait());
  EXPECT_TRUE(sink->failure());
}

TEST(node_start, says_in_one_line_what_is_wrong) {
  server::node_options options;
  options.model_path = "/nowhere/model.gguf";
  const auto started = server::start_node(options, {});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/nowhere/model.gguf"), std::string::npos);
  EXPECT_EQ(started.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace neap::test
