#include "server/chat/local_backend.hpp"

#include "server/api/api_request.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

namespace neap::chat {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds poll_time{20};  // how soon a cancel is seen

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// Carries events from the actors' threads to the one that waits for the answer.
class event_queue final : public token_sink {
 public:
  void push(stream_event event) override {
    {
      const std::lock_guard lock(guard_);
      events_.push_back(std::move(event));
    }
    arrived_.notify_one();
  }

  // The next event; nothing if none came within the poll time.
  std::optional<stream_event> pop() {
    std::unique_lock lock(guard_);
    if (!arrived_.wait_for(lock, poll_time, [this] { return !events_.empty(); })) return std::nullopt;
    auto out = std::move(events_.front());
    events_.pop_front();
    return out;
  }

 private:
  std::mutex guard_;
  std::condition_variable arrived_;
  std::deque<stream_event> events_;
};

class local_backend final : public chat_backend {
 public:
  explicit local_backend(gateway& node) : gateway_(node), models_(node.models()) {}

  const std::string& model() const override { return models_.front().name; }
  std::uint32_t context_length() const override { return models_.front().context_length; }

  result<answer_statistics> generate(request_form form, const std::string& body, const text_callback& on_text,
                                     const std::atomic<bool>& cancelled) override {
    const auto where = form == request_form::chat ? api::endpoint::chat : api::endpoint::completions;
    auto request = api::parse_request(where, body, {models_, random_()});
    if (!request) return request.error();
    auto& generation = request->generation;
    const auto id = generation.id = gateway_.next_request_id();
    const auto begin = generation.arrival = clock::now();
    const auto events = std::make_shared<event_queue>();
    gateway_.submit(std::move(generation), events);
    return read(*events, id, begin, on_text, cancelled);
  }

 private:
  result<answer_statistics> read(event_queue& events, request_id id, clock::time_point begin,
                                 const text_callback& on_text, const std::atomic<bool>& cancelled) {
    answer_statistics out;
    while (true) {
      const auto event = events.pop();
      bool wanted = !cancelled;
      if (event) {
        if (const auto* fault = std::get_if<error>(&*event)) return *fault;
        if (const auto* delta = std::get_if<stream_delta>(&*event)) {
          if (out.first_token_s == 0 && !delta->tokens.empty()) out.first_token_s = seconds_since(begin);
          if (!delta->text.empty()) wanted = on_text(delta->text) && wanted;
        }
        if (const auto* summary = std::get_if<stream_summary>(&*event)) {
          const auto& usage = summary->usage;
          return answer_statistics{usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens,
                                   out.first_token_s, seconds_since(begin)};
        }
      }
      if (wanted) continue;
      gateway_.cancel(id);
      return error{error_code::cancelled, "the answer was cancelled", {}};
    }
  }

  gateway& gateway_;
  std::vector<served_model> models_;
  std::random_device random_;
};

}  // namespace

std::unique_ptr<chat_backend> make_local_backend(gateway& node) {
  return std::make_unique<local_backend>(node);
}

}  // namespace neap::chat
