// The whole node on the real default model with little memory, and with clients that leave.

#include "tests/actors/real_node.hpp"

#include <random>

namespace neap::test {
namespace {

constexpr std::size_t block_bytes = 16 * 30 * 2 * 3 * 64 * 2;  // tokens, layers, K and V, heads, size, f16

class small_node : public real_node {
 protected:
  static std::string prompt(int i) { return "Colour " + std::to_string(i) + " of the list is called"; }

  // Greedy and seeded ones in turn, the latter with a penalty.
  std::shared_ptr<waiting_sink> ask_number(int i, std::uint32_t tokens) {
    return ask(prompt(i), tokens, i % 2 == 0 ? 0.0F : 0.8F);
  }

  std::vector<std::string> texts_one_by_one(int count, std::uint32_t tokens) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back(ask_number(i, tokens)->wait().value_or("failed"));
    return out;
  }
};

// C60, R13: preempted sequences are computed again and say the same.
TEST_F(small_node, preempted_requests_give_the_same_texts) {
  constexpr int count = 6;
  constexpr std::uint32_t tokens = 44;
  const auto alone = texts_one_by_one(count, tokens);
  options.kv_cache_max_bytes = 10 * block_bytes;
  start();
  std::vector<std::shared_ptr<waiting_sink>> sinks;
  for (int i = 0; i < count; ++i) sinks.push_back(ask_number(i, tokens));
  std::uint32_t preemptions = 0;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    EXPECT_EQ(sinks[i]->wait(), alone[i]) << i;
    ASSERT_TRUE(sinks[i]->summary());
    EXPECT_EQ(sinks[i]->summary()->usage.completion_tokens, tokens);
    preemptions += sinks[i]->summary()->decisions.preemptions;
  }
  EXPECT_GT(preemptions, 0U);
  EXPECT_TRUE(comes_to_rest());
  EXPECT_EQ(metric("neap:num_preemptions_total"), preemptions);
}

// R6: clients leave at a random token, in every state; nothing stays behind and the others are not touched.
TEST_F(small_node, cancels_at_random_tokens_leave_all_blocks_free) {
  options.kv_cache_max_bytes = 24 * block_bytes;
  options.max_num_seqs = 3;
  start();
  std::mt19937 random{7};
  const auto right = ask(prompt(0), 20)->wait();
  ASSERT_TRUE(right);
  for (int round = 0; round < 12; ++round) {
    const auto stays = ask(prompt(0), 20);
    std::vector<std::pair<request_id, std::shared_ptr<waiting_sink>>> leaving;
    for (int i = 1; i < 5; ++i) {
      auto sink = ask(prompt(i), 150);
      leaving.emplace_back(last_id, std::move(sink));
    }
    for (auto& [id, sink] : leaving) {
      if (random() % 3 != 0) sink->wait_tokens(random() % 6);
      node->gateway().cancel(id);
    }
    for (auto& [id, sink] : leaving) {
      EXPECT_FALSE(sink->wait());
      ASSERT_TRUE(sink->failure());
      EXPECT_EQ(sink->failure()->code, error_code::cancelled);
      EXPECT_FALSE(sink->event_after_end());
    }
    EXPECT_EQ(stays->wait(), right) << "round " << round;
  }
  EXPECT_TRUE(comes_to_rest()) << metrics();
  EXPECT_TRUE(node->drain(std::chrono::seconds{10}));
}

TEST_F(small_node, a_prompt_larger_than_the_pool_is_refused_and_names_the_limit) {
  options.kv_cache_max_bytes = 4 * block_bytes;
  start();
  const auto sink = ask(prompt(0), 100);
  EXPECT_FALSE(sink->wait());
  ASSERT_TRUE(sink->failure());
  EXPECT_EQ(sink->failure()->code, error_code::context_length_exceeded);
  EXPECT_NE(sink->failure()->message.find("64"), std::string::npos) << sink->failure()->message;
  EXPECT_TRUE(ask(prompt(0), 20)->wait());
}

}  // namespace
}  // namespace neap::test
