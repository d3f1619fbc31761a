#include "server/websocket/socket.hpp"

#include "server/http/connection.hpp"
#include "server/websocket/transport_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace neap::websocket {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace ws = beast::websocket;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);
constexpr std::size_t read_piece = 64 * 1024;
constexpr std::size_t kept_capacity = 4 * 1024;  // of the input, between messages

ws::permessage_deflate deflate_options(const options& with) {
  ws::permessage_deflate out;
  out.server_enable = with.deflate;
  // Small windows and no memory of earlier messages: what a socket costs stays under 128 KiB.
  out.server_max_window_bits = 12;
  out.client_max_window_bits = 12;
  out.server_no_context_takeover = true;
  out.client_no_context_takeover = true;
  out.memLevel = 4;
  out.compLevel = 3;
  out.msg_size_threshold = with.deflate_from;
  return out;
}

using upgrade_head = beast::http::request<beast::http::empty_body>;

upgrade_head to_beast(const http::request_head& head) {
  upgrade_head out(beast::http::verb::get, head.target, static_cast<unsigned>(head.version));
  for (const auto& field : head.fields) out.insert(field.name, field.value);
  return out;
}

const boost::system::error_category& inflate_category() {
  return beast::zlib::make_error_code(beast::zlib::error::general).category();
}

class beast_socket final : public socket, public std::enable_shared_from_this<beast_socket> {
 public:
  using clock = std::chrono::steady_clock;

  beast_socket(http::upgrade_request from, std::string subprotocol, const options& with)
      : options_(with),
        state_(std::move(from.state)),
        limits_(state_->service.limits),
        head_(to_beast(from.head)),
        stream_(std::move(from.bytes), std::move(from.already_read)),
        output_event_(stream_.get_executor(), clock::time_point::max()),
        tick_timer_(stream_.get_executor()) {
    set_up(std::move(subprotocol));
  }

  net::awaitable<void> run(socket_owner& owner) override;
  void send(std::string message, bool binary) override;
  std::size_t buffered() const override { return queued_ + in_flight_; }
  void close(close_code code, std::string_view reason) override;
  void reset() override { stream_.next_layer().bytes().reset(); }

 private:
  struct outgoing {
    std::string text;
    bool binary;
  };

  void set_up(std::string subprotocol);
  net::awaitable<void> read_loop();
  net::awaitable<bool> wait_for_room();
  bool receive();
  net::awaitable<void> write_loop();
  net::awaitable<void> tick_loop();
  net::awaitable<void> ping();
  void check_times(clock::time_point now);
  void lose();
  void cut(const char* why);
  net::awaitable<void> wait_for_output();
  void wake() { output_event_.cancel(); }
  template <class Member>
  void spawn(Member member);

  options options_;
  std::shared_ptr<http::server_state> state_;
  const http::limits& limits_;
  upgrade_head head_;
  ws::stream<transport_stream> stream_;
  net::steady_timer output_event_;  // output, room for output, or the end
  net::steady_timer tick_timer_;
  socket_owner* owner_ = nullptr;
  beast::flat_buffer input_;
  std::optional<http::body_lease> lease_;  // of the message that is being received
  std::deque<outgoing> queue_;
  std::size_t queued_ = 0;
  std::size_t in_flight_ = 0;
  std::optional<ws::close_reason> close_;
  std::optional<clock::time_point> closing_since_;
  std::optional<clock::time_point> message_began_;
  clock::time_point last_message_ = clock::now();
  std::size_t running_ = 0;  // coroutines besides run()
  bool paused_ = false;      // nothing is read, so the peer's silence means nothing
  bool pinging_ = false;
  bool opened_ = false;
  bool lost_ = false;  // the peer takes no more messages
  bool ended_ = false;
};

void beast_socket::set_up(std::string subprotocol) {
  stream_.set_option(deflate_options(options_));
  stream_.set_option(ws::stream_base::decorator([subprotocol](ws::response_type& answer) {
    answer.set(beast::http::field::server, "neap");
    if (!subprotocol.empty()) answer.set(beast::http::field::sec_websocket_protocol, subprotocol);
  }));
  stream_.read_message_max(limits_.body_bytes);  // counts bytes after inflation
  stream_.auto_fragment(false);
  // A read ends only with the whole closing handshake; the requests end with the peer's first word of it.
  stream_.control_callback([this](ws::frame_type kind, beast::string_view) {
    if (kind != ws::frame_type::close) return;
    if (!closing_since_) closing_since_ = clock::now();
    lose();
  });
}

// Runs a member coroutine that keeps this object; run() waits for its end.
template <class Member>
void beast_socket::spawn(Member member) {
  ++running_;
  const auto self = shared_from_this();
  net::co_spawn(stream_.get_executor(), ((*this).*member)(), [self](std::exception_ptr failure) {
    --self->running_;
    if (failure) self->reset();
    self->wake();
  });
}

net::awaitable<void> beast_socket::run(socket_owner& owner) {
  const auto self = shared_from_this();
  owner_ = &owner;
  spawn(&beast_socket::tick_loop);
  const auto [failure] = co_await stream_.async_accept(head_, awaited);
  head_ = {};
  opened_ = !failure;
  if (opened_) {
    spawn(&beast_socket::write_loop);
    co_await read_loop();
  }
  ended_ = true;
  lose();
  stream_.next_layer().bytes().close();
  tick_timer_.cancel();
  wake();
  while (running_ > 0) co_await wait_for_output();
}

net::awaitable<void> beast_socket::read_loop() {
  while (true) {
    const bool room = co_await wait_for_room();
    if (!room) break;
    const auto [failure, count] = co_await stream_.async_read_some(input_, read_piece, awaited);
    if (failure.category() == inflate_category()) {
      // What cannot be inflated ends the connection with a word.
      closing_since_ = clock::now();
      co_await stream_.async_close(ws::close_code::bad_payload, awaited);
    }
    if (failure) break;
    if (close_) {
      input_.clear();
    } else if (!receive()) {
      close(close_code::try_again_later, "the messages under way hold too many bytes");
    }
  }
}

// A peer that sends and does not read must not make us collect answers.
net::awaitable<bool> beast_socket::wait_for_room() {
  while (!ended_ && !closing_since_ && buffered() > limits_.output_bytes / 2) {
    paused_ = true;
    co_await wait_for_output();
  }
  if (std::exchange(paused_, false)) stream_.next_layer().touch();
  co_return !ended_;
}

// Takes what was read; false if there is no memory for it.
bool beast_socket::receive() {
  if (!lease_) lease_.emplace(state_->bodies);
  if (!lease_->grow_to(input_.size())) return false;
  if (!stream_.is_message_done()) {
    if (!message_began_) message_began_ = clock::now();
    return true;
  }
  last_message_ = clock::now();
  message_began_.reset();
  const auto bytes = input_.cdata();
  owner_->on_message({static_cast<const char*>(bytes.data()), bytes.size()}, stream_.got_binary());
  input_.clear();
  if (input_.capacity() > kept_capacity) input_.shrink_to_fit();
  lease_.reset();
  return true;
}

void beast_socket::send(std::string message, bool binary) {
  if (ended_ || lost_ || close_) return;
  queued_ += message.size();
  queue_.push_back({std::move(message), binary});
  wake();
}

void beast_socket::close(close_code code, std::string_view reason) {
  if (close_ || ended_) return;
  close_ =
      ws::close_reason(static_cast<ws::close_code>(code), beast::string_view(reason.data(), reason.size()));
  closing_since_ = clock::now();
  wake();
}

net::awaitable<void> beast_socket::write_loop() {
  while (!ended_ && !lost_) {
    if (queue_.empty() && !close_) {
      co_await wait_for_output();
      continue;
    }
    if (queue_.empty()) {
      co_await stream_.async_close(*close_, awaited);
      break;
    }
    auto next = std::move(queue_.front());
    queue_.pop_front();
    queued_ -= next.text.size();
    in_flight_ = next.text.size();
    stream_.binary(next.binary);
    const auto [failure, count] = co_await stream_.async_write(net::buffer(next.text), awaited);
    in_flight_ = 0;
    if (failure) {
      lose();
      break;
    }
    wake();
    if (buffered() == 0) owner_->on_drained();
  }
}

net::awaitable<void> beast_socket::tick_loop() {
  const auto period =
      std::min<clock::duration>({options_.ping_after, limits_.stalled_time, options_.idle_time, options_.closing_time}) / 4;
  while (!ended_) {
    tick_timer_.expires_after(period);
    co_await tick_timer_.async_wait(awaited);
    if (ended_) break;
    check_times(clock::now());
    owner_->on_tick(clock::now());
  }
}

void beast_socket::check_times(clock::time_point now) {
  const auto& layer = stream_.next_layer();
  const auto silence = now - layer.last_read();
  if (layer.write_began() && now - *layer.write_began() > limits_.stalled_time)
    return cut("it takes nothing");
  if (silence > options_.ping_after * 5 / 2 && !paused_) return cut("it answers no ping");
  if (opened_ && !stream_.is_open() && !closing_since_) closing_since_ = now;
  if (closing_since_ && now - *closing_since_ > options_.closing_time && queue_.empty()) {
    return cut("it does not answer the close");
  }
  if (silence > options_.ping_after && !pinging_ && stream_.is_open()) spawn(&beast_socket::ping);
  const auto earned = std::chrono::milliseconds(input_.size() * 1000 / limits_.body_bytes_per_second);
  if (message_began_ && now - *message_began_ > limits_.body_grace + earned) {
    close(close_code::policy_violation, "the message arrives too slowly");
  }
  if (!owner_->busy() && !message_began_ && now - last_message_ > options_.idle_time) {
    close(close_code::normal, "idle");
  }
}

void beast_socket::lose() {
  if (std::exchange(lost_, true)) return;
  queue_.clear();
  queued_ = 0;
  wake();
  owner_->on_closed();
}

void beast_socket::cut(const char* why) {
  if (ended_) return;
  state_->log.report(http::event_kind::client_cut, std::string("a WebSocket: ") + why);
  reset();
}

net::awaitable<void> beast_socket::ping() {
  pinging_ = true;
  co_await stream_.async_ping({}, awaited);
  pinging_ = false;
}

// The timer never expires, and several may wait on it.
net::awaitable<void> beast_socket::wait_for_output() { co_await output_event_.async_wait(awaited); }

}  // namespace

std::shared_ptr<socket> make_socket(http::upgrade_request from, std::string subprotocol,
                                    const options& with) {
  return std::make_shared<beast_socket>(std::move(from), std::move(subprotocol), with);
}

}  // namespace neap::websocket
