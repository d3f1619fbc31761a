#pragma once
// One request and its answer on a connection: the only thing handlers and streams see of the network. Holds
// the bytes that wait for the socket. Everything except post() belongs to the io thread.

#include "server/http/access.hpp"
#include "server/http/body_budget.hpp"
#include "server/http/event_log.hpp"
#include "server/http/http_message.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace neap::http {

// A body, and its share of the memory for bodies for as long as the request lasts.
struct received_body {
  std::string text;
  body_lease lease;
};

// What the connection gives its exchanges.
struct exchange_hooks {
  std::function<void(std::function<void()>)> post;  // run a task on the io thread; callable from any thread
  std::function<void()> wake;                       // output or end arrived
  const std::atomic<bool>* draining = nullptr;      // answers then end the connection
  event_log* log = nullptr;                         // of failures and departures
  std::vector<std::pair<std::string, std::string>> headers;  // of every answer
  caller from;
  bool last = false;                                // the answer ends the connection anyway
};

class exchange : public std::enable_shared_from_this<exchange> {
 public:
  exchange(std::uint64_t id, request_head head, received_body body, exchange_hooks hooks);

  // The request's number in logs, answers (X-Request-Id) and the engine.
  std::uint64_t id() const noexcept { return id_; }
  const request_head& head() const noexcept { return head_; }
  // Whose request it is.
  const caller& from() const noexcept { return hooks_.from; }
  const std::string& body() const noexcept { return body_.text; }
  // The text is not needed any more.
  void drop_body() { body_.text = {}; }

  // Any thread: runs the task on the io thread, unless the server stopped meanwhile.
  void post(std::function<void()> task) const { hooks_.post(std::move(task)); }

  // A whole answer. Ignored if one was begun before or the client is gone.
  void respond(const response& answer);

  // An event stream: status 200 and headers at once, then any number of writes, then the end.
  void begin_stream(const std::vector<std::pair<std::string, std::string>>& headers);
  void write(std::string_view bytes);
  void end_stream(bool close);
  // Gives up: the connection ends without a proper end of the answer.
  void abort();

  // Logs an error that ends the answer, if it is one of the server's.
  void note(const error& fault);

  bool begun() const noexcept { return begun_; }
  bool gone() const noexcept { return gone_; }
  // Bytes that the socket has not taken yet.
  std::size_t buffered() const noexcept { return output_.size() + in_flight_; }

  // Called once when the client disconnects before the end. / Called when buffered() fell to 0.
  void on_gone(std::function<void()> callback) { on_gone_ = std::move(callback); }
  void on_drained(std::function<void()> callback) { on_drained_ = std::move(callback); }

  // The connection's side.
  std::string take_output();
  void output_written();
  void client_gone(bool cut = false);  // `cut`: by us
  bool ended() const noexcept { return ended_; }
  bool close_after() const noexcept { return close_ || gone_ || aborted_; }
  bool aborted() const noexcept { return aborted_; }

 private:
  bool chunked() const noexcept { return head_.version == 11; }
  void write_head(const response& answer, const std::string& framing);
  void end();

  void report(event_kind kind, const std::string& detail);

  std::uint64_t id_;
  request_head head_;
  received_body body_;
  exchange_hooks hooks_;
  std::function<void()> on_gone_;
  std::function<void()> on_drained_;
  std::string output_;
  std::size_t in_flight_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  bool close_ = false;
  bool gone_ = false;
  bool aborted_ = false;
};

using exchange_ptr = std::shared_ptr<exchange>;

}  // namespace neap::http
