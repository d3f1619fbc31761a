#pragma once
// A gateway without an engine: answers from a thread of its own, the way actors would, with scripted events.

#include "messages/gateway.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace neap::test {

// What the engine does with one request: events in order, with a pause before each.
struct scripted_event {
  stream_event event;
  std::chrono::milliseconds pause{0};
};
using script = std::vector<scripted_event>;

// Appends one event.
void then(script& events, stream_event event, std::chrono::milliseconds pause = std::chrono::milliseconds(0));

// Nothing but a failure.
script failing_script(error fault);

// accepted, one delta a word, end, summary.
script words_script(const std::vector<std::string>& words,
                    std::chrono::milliseconds pause = std::chrono::milliseconds(0));

class fake_gateway final : public gateway {
 public:
  fake_gateway() = default;
  ~fake_gateway() override;

  // Called with each request; default: the words "one two three" for each prompt.
  std::function<script(const generation_request&)> on_submit;
  std::atomic<readiness> state{readiness::ready};

  request_id next_request_id() override { return ++last_id_; }
  void submit(generation_request request, token_sink_ptr sink) override;
  void cancel(request_id id) override;
  void tokenize(prompt text, reply_callback<std::vector<token_id>> reply) override;
  void detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) override;
  void metrics(reply_callback<std::string> reply) override;
  void inspect_actors(reply_callback<std::vector<actor_view>> reply) override;
  void inspect_requests(reply_callback<std::vector<request_view>> reply) override;
  std::vector<served_model> models() const override;
  readiness ready() const override { return state; }

  // Blocks until the request was cancelled; false after `limit`.
  bool wait_cancelled(std::size_t count, std::chrono::milliseconds limit);
  std::size_t submitted() const;
  // The last request, as the edge made it.
  generation_request last_request() const;

 private:
  void play(request_id id, script events, token_sink_ptr sink);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<request_id> cancelled_;
  std::vector<generation_request> requests_;
  std::vector<std::thread> threads_;
  std::atomic<request_id> last_id_{0};
  bool ending_ = false;
};

}  // namespace neap::test
