// The whole node on the real default model, without the network edge.

#include "server/node.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>

namespace neap::server {
namespace {

using namespace std::chrono_literals;

class waiting_sink final : public token_sink {
 public:
  void push(stream_event event) override {
    const std::lock_guard lock(mutex_);
    if (const auto* delta = std::get_if<stream_delta>(&event)) text_ += delta->text;
    if (const auto* failure = std::get_if<error>(&event)) failure_ = *failure;
    ended_ = std::holds_alternative<stream_summary>(event) || failure_;
    changed_.notify_all();
  }

  // The text once the request has ended by itself.
  std::optional<std::string> wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 120s, [this] { return ended_; }) || failure_) return std::nullopt;
    return text_;
  }
  std::optional<error> failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::optional<error> failure_;
  bool ended_ = false;
};

class real_node : public ::testing::Test {
 protected:
  void SetUp() override {
    options.model_path = std::string{NEAP_MODELS_DIR} + "/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!std::filesystem::exists(options.model_path)) GTEST_SKIP() << "the default model is not here";
    options.device = "cpu";
    options.threads = 2;
    auto started = start_node(options, {});
    ASSERT_TRUE(started) << started.error().message;
    node = std::move(*started);
  }

  std::shared_ptr<waiting_sink> ask(const std::string& text, std::uint32_t max_tokens,
                                    float temperature = 0) {
    generation_request request;
    request.id = last_id = node->gateway().next_request_id();
    request.prompts.emplace_back(text_prompt{text});
    request.max_tokens = max_tokens;
    request.sampling.temperature = temperature;
    request.sampling.seed = 42;
    request.arrival = std::chrono::steady_clock::now();
    auto sink = std::make_shared<waiting_sink>();
    node->gateway().submit(std::move(request), sink);
    return sink;
  }

  std::string metrics() {
    std::promise<std::string> text;
    node->gateway().metrics([&](result<std::string> x) { text.set_value(x ? *x : ""); });
    return text.get_future().get();
  }

  node_options options;
  std::unique_ptr<server::node> node;
  request_id last_id = 0;
};

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
  const auto text = metrics();
  for (const auto* gauge : {"num_requests_running", "num_requests_waiting"})
    EXPECT_NE(text.find("neap:" + std::string{gauge} + " 0\n"), std::string::npos) << text;
  EXPECT_EQ(ask("late", 5)->wait(), std::nullopt);
}

TEST_F(real_node, ends_live_requests_when_it_goes) {
  const auto sink = ask("Once upon a time", 1000);
  node.reset();
  EXPECT_FALSE(sink->wait());
  EXPECT_TRUE(sink->failure());
}

TEST(node_start, says_in_one_line_what_is_wrong) {
  node_options options;
  options.model_path = "/nowhere/model.gguf";
  const auto started = start_node(options, {});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("/nowhere/model.gguf"), std::string::npos);
  EXPECT_EQ(started.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace neap::server
