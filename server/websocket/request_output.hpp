#pragma once
// The answer of one request on a WebSocket that may carry many: events go out as far as the client granted
// tokens, the rest waits here within the socket's limit. The io thread only, but for post().

#include "messages/ids.hpp"
#include "server/http/stream_output.hpp"
#include "server/websocket/messages.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace neap::websocket {

// What all answers of one socket share. Outlives them, or on_socket_closed() was called.
class answer_channel {
 public:
  virtual ~answer_channel() = default;
  virtual const codec& form() const = 0;
  virtual void send(std::string message) = 0;
  virtual std::size_t buffered() const = 0;  // of the socket
  // The request's id is free from now on.
  virtual void ended(const std::string& id) = 0;
  // What this answer holds back has grown; may end one that holds too much.
  virtual void check_held() = 0;
};

class request_output final : public http::stream_output {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using poster = std::function<void(std::function<void()>)>;

  request_output(answer_channel& channel, const request_message& request, poster post);

  void post(std::function<void()> task) const override { post_(std::move(task)); }
  void whole(std::string json) override;
  void event(std::string_view json) override { delta(json, 0); }
  void delta(std::string_view json, std::size_t tokens) override;
  void holds(std::size_t bytes) override;
  void finish() override;
  void fail(const error& fault) override;
  void abort() override;
  std::size_t buffered() const override;
  void on_gone(std::function<void()> callback) override { on_gone_ = std::move(callback); }
  void on_drained(std::function<void()> callback) override { on_drained_ = std::move(callback); }

  // The client's wishes.
  void grant(std::uint64_t tokens);
  void cancel();

  // The socket's side.
  void on_socket_drained();
  void on_socket_closed();
  // Ends the request because its client is too slow.
  void give_up(std::string_view why);
  // Bytes that wait for tokens, here and with the caller.
  std::size_t held() const noexcept { return waiting_bytes_ + held_by_caller_; }
  // Since when the client owes tokens.
  std::optional<time_point> paused_since() const noexcept { return paused_since_; }

 private:
  struct waiting_event {
    std::string json;
    std::size_t tokens;
  };

  bool may_send(std::size_t tokens) const noexcept { return tokens == 0 || !credits_ || *credits_ > 0; }
  void send(std::string_view json, std::size_t tokens);
  void send_waiting();
  void end(std::string message);
  void leave();

  answer_channel* channel_;
  std::string id_;
  poster post_;
  std::optional<std::int64_t> credits_;  // below 0 where an event had more tokens than were left
  std::deque<waiting_event> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t held_by_caller_ = 0;
  std::optional<time_point> paused_since_;
  std::function<void()> on_gone_;
  std::function<void()> on_drained_;
  bool finished_ = false;  // ends once nothing waits
  bool ended_ = false;
};

}  // namespace neap::websocket
