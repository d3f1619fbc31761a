#include "server/http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace neap::http {

namespace net = boost::asio;
using tcp = net::ip::tcp;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);

// Requests that a client sends ahead are kept up to here while an answer is under way; past it the client's
// departure shows only in failing writes.
constexpr std::size_t read_ahead_limit = 64 * 1024;

}  // namespace

connection::connection(tcp::socket socket, std::shared_ptr<server_state> state)
    : socket_(std::move(socket)),
      state_(std::move(state)),
      limits_(state_->service.limits),
      watchdog_(socket_),
      event_(socket_.get_executor()) {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(net::socket_base::send_buffer_size(static_cast<int>(limits_.send_buffer_bytes)),
                     ignored);
}

net::awaitable<void> connection::run() {
  const auto self = shared_from_this();
  bool open = true;
  while (open) {
    answered_ = false;
    auto x = co_await read_request();
    if (x == nullptr) x = std::exchange(refused_, nullptr);
    open = x != nullptr && co_await answer(x);
  }
  co_await linger();
}

void connection::end_if_idle() {
  error_code ignored;
  if (idle_) socket_.cancel(ignored);
}

// Writes one answer as it comes; true if the connection can take another request.
net::awaitable<bool> connection::answer(exchange_ptr x) {
  if (!x->ended()) net::co_spawn(socket_.get_executor(), watch(x), net::detached);
  while (!x->gone()) {
    auto bytes = x->take_output();
    if (!bytes.empty()) {
      const bool written = co_await write_all(std::move(bytes));
      if (!written) x->client_gone();
      x->output_written();
    } else if (x->ended()) {
      break;
    } else {
      co_await wait_for_event();
    }
  }
  if (watching_) {
    error_code ignored;
    socket_.cancel(ignored);
    while (watching_) co_await wait_for_event();
  }
  if (x->gone() || x->aborted()) {
    error_code ignored;
    socket_.set_option(net::socket_base::linger(true, 0), ignored);  // reset: no lone end that looks whole
    socket_.close(ignored);
  }
  answered_ = !x->gone();
  co_return !x->close_after();
}

net::awaitable<bool> connection::write_all(std::string bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    watchdog_.arm(shared_from_this(), limits_.stalled_time);
    const auto rest = net::buffer(bytes.data() + written, bytes.size() - written);
    const auto [failure, count] = co_await socket_.async_write_some(rest, awaited);
    watchdog_.disarm();
    if (failure) co_return false;
    written += count;
  }
  co_return true;
}

// Notices the end of input while an answer is under way, and keeps what the client sends ahead.
net::awaitable<void> connection::watch(exchange_ptr x) {
  const auto self = shared_from_this();
  watching_ = true;
  while (!x->ended() && !x->gone() && input_.size() < read_ahead_limit) {
    const auto [failure] = co_await socket_.async_wait(tcp::socket::wait_read, awaited);
    if (failure == net::error::operation_aborted && !watchdog_.fired()) break;
    if (failure || client_left()) {
      x->client_gone();
      error_code ignored;
      socket_.cancel(ignored);
    }
  }
  watching_ = false;
  event_.cancel();
}

// Takes what is readable into input_; true at the end of input or on a reset.
bool connection::client_left() {
  std::array<char, 4096> bytes;
  const auto count = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0) return true;
  if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  const auto size = static_cast<std::size_t>(count);
  input_.commit(net::buffer_copy(input_.prepare(size), net::buffer(bytes, size)));
  return false;
}

net::awaitable<void> connection::wait_for_event() {
  event_.expires_at(net::steady_timer::time_point::max());
  co_await event_.async_wait(awaited);
}

// A client that still sends would get a reset instead of our answer: end our side, then read on for a while.
net::awaitable<void> connection::linger() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  std::size_t budget = unread_ ? 2 * limits_.body_bytes : answered_ ? read_ahead_limit : 0;
  std::array<char, 16 * 1024> bytes;
  watchdog_.arm(shared_from_this(), std::chrono::seconds(2));
  while (budget > 0) {
    const auto [failure, count] = co_await socket_.async_read_some(net::buffer(bytes), awaited);
    if (failure) break;
    budget -= std::min(budget, count);
  }
  watchdog_.disarm();
  socket_.close(ignored);
}

}  // namespace neap::http
