#pragma once
// A whole node on the real default model, without the network edge, and a client that waits on real threads.

#include "server/node.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace neap::test {

class waiting_sink final : public token_sink {
 public:
  void push(stream_event event) override {
    const std::lock_guard lock(mutex_);
    if (ended_) after_end_ = true;
    if (const auto* delta = std::get_if<stream_delta>(&event)) {
      text_ += delta->text;
      tokens_ += delta->tokens.size();
    }
    if (const auto* failure = std::get_if<error>(&event)) failure_ = *failure;
    if (const auto* summary = std::get_if<stream_summary>(&event)) summary_ = *summary;
    ended_ = ended_ || summary_ || failure_;
    changed_.notify_all();
  }

  // The text once the request has ended by itself; nothing if it failed.
  std::optional<std::string> wait() {
    wait_until([this] { return ended_; });
    const std::lock_guard lock(mutex_);
    return summary_ ? std::optional{text_} : std::nullopt;
  }

  // Returns once so many tokens are there, or the end.
  void wait_tokens(std::size_t count) {
    wait_until([this, count] { return ended_ || tokens_ >= count; });
  }

  std::optional<error> failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }
  std::optional<stream_summary> summary() {
    const std::lock_guard lock(mutex_);
    return summary_;
  }
  bool event_after_end() {
    const std::lock_guard lock(mutex_);
    return after_end_;
  }

 private:
  template <class Condition>
  void wait_until(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds{120}, condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::size_t tokens_ = 0;
  std::optional<error> failure_;
  std::optional<stream_summary> summary_;
  bool ended_ = false;
  bool after_end_ = false;
};

class real_node : public ::testing::Test {
 protected:
  void SetUp() override {
    options.model_path = std::string{NEAP_MODELS_DIR} + "/SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!std::filesystem::exists(options.model_path)) GTEST_SKIP() << "the default model is not here";
    options.device = "cpu";
    options.threads = 2;
    start();
  }

  void start() {
    node.reset();
    auto started = server::start_node(options, {});
    ASSERT_TRUE(started) << started.error().message;
    node = std::move(*started);
  }

  std::shared_ptr<waiting_sink> ask(const std::string& text, std::uint32_t max_tokens,
                                    float temperature = 0) {
    generation_request request;
    request.id = last_id = node->gateway().next_request_id();
    request.prompts.emplace_back(text_prompt{text});
    request.max_tokens = max_tokens;
    request.stop.ignore_eos = true;
    request.sampling.temperature = temperature;
    if (temperature > 0) request.sampling.repetition_penalty = 1.2F;
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

  // The value of a series without labels; -1 if there is none.
  double metric(const std::string& name) {
    const auto text = metrics();
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }

  // The last step's sample may arrive after the last client event: asks until it is there.
  bool comes_to_rest() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < limit) {
      if (metric("neap:num_requests_running") + metric("neap:num_requests_waiting") +
              metric("neap:kv_cache_usage_perc") ==
          0)
        return true;
    }
    return false;
  }

  server::node_options options;
  std::unique_ptr<server::node> node;
  request_id last_id = 0;
};

}  // namespace neap::test
