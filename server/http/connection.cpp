#include "server/http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace neap::http {

namespace net = boost::asio;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);

// Requests that a client sends ahead are kept up to here while an answer is under way. What is past it stays
// in the kernel until its turn comes, and the client's departure then shows only in failing writes.
constexpr std::size_t read_ahead_limit = 64 * 1024;
constexpr std::size_t read_ahead_piece = 4 * 1024;

}  // namespace

connection::connection(std::unique_ptr<transport> bytes, std::shared_ptr<server_state> state, bool probe)
    : transport_(std::move(bytes)),
      state_(std::move(state)),
      limits_(state_->service.limits),
      probe_(probe),
      watchdog_(*transport_),
      event_(transport_->executor()) {}

net::awaitable<void> connection::run() {
  const auto self = shared_from_this();
  watchdog_.arm(self, header_time());
  const auto failure = co_await transport_->handshake();
  watchdog_.disarm();
  bool open = !failure;
  while (open) {
    answered_ = false;
    auto x = co_await read_request();
    if (upgrade_) {
      const auto other = upgrade();
      co_await other->run();
      co_return;
    }
    if (x == nullptr) x = std::exchange(refused_, nullptr);
    open = x != nullptr && co_await answer(x);
  }
  co_await linger();
}

void connection::end_if_idle() {
  if (idle_) transport_->cancel();
  if (const auto other = upgraded_.lock()) other->begin_drain();
}

void connection::abandon() {
  if (transport_ != nullptr) transport_->reset();
  if (const auto other = upgraded_.lock()) other->abandon();
}

// Hands over everything. The watchdog is idle from here on.
std::shared_ptr<upgraded> connection::upgrade() {
  upgrade_request from{std::move(*upgrade_), std::string(unparsed()), std::move(transport_), state_, caller_};
  input_ = {};
  auto other = state_->upgrades->take(std::move(from));
  upgraded_ = other;
  return other;
}

// Writes one answer as it comes; true if the connection can take another request.
net::awaitable<bool> connection::answer(exchange_ptr x) {
  if (!x->ended()) net::co_spawn(transport_->executor(), watch(x), net::detached);
  while (!x->gone()) {
    auto bytes = x->take_output();
    if (!bytes.empty()) {
      const bool written = co_await write_all(std::move(bytes));
      if (!written) x->client_gone(watchdog_.fired());
      x->output_written();
    } else if (x->ended()) {
      break;
    } else {
      co_await wait_for_output(*x);
    }
  }
  if (watching_) {
    transport_->cancel();
    while (watching_) co_await wait_for_event();
  }
  if (x->gone() || x->aborted()) transport_->reset();  // a lone end would look whole
  answered_ = !x->gone();
  co_return !x->close_after();
}

net::awaitable<bool> connection::write_all(std::string bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    watchdog_.arm(shared_from_this(), limits_.stalled_time);
    const auto rest = net::buffer(bytes.data() + written, bytes.size() - written);
    const auto [failure, count] = co_await transport_->write_some(rest);
    watchdog_.disarm();
    written += count;
    if (failure) co_return false;
  }
  co_return true;
}

// Notices the end of input while an answer is under way, and keeps what the client sends ahead.
net::awaitable<void> connection::watch(exchange_ptr x) {
  const auto self = shared_from_this();
  watching_ = true;
  while (!x->ended() && !x->gone() && input_.size() < read_ahead_limit) {
    const auto most = std::min(read_ahead_piece, read_ahead_limit - input_.size());
    const auto [failure, count] = co_await transport_->read_some(input_.prepare(most));
    input_.commit(count);
    if (failure == net::error::operation_aborted && !watchdog_.fired()) break;
    if (failure) {
      x->client_gone(watchdog_.fired());
      transport_->cancel();
    }
  }
  watching_ = false;
  event_.cancel();
}

// A stream that is silent for long gets a comment, which every reader of event streams skips.
net::awaitable<void> connection::wait_for_output(exchange& x) {
  if (!x.begun() || limits_.comment_time.count() == 0) co_return co_await wait_for_event();
  event_.expires_after(limits_.comment_time);
  const auto [woken] = co_await event_.async_wait(awaited);
  if (!woken) x.write(": keep-alive\n\n");
}

net::awaitable<void> connection::wait_for_event() {
  event_.expires_at(net::steady_timer::time_point::max());
  co_await event_.async_wait(awaited);
}

// A client that still sends would get a reset instead of our answer: end our side, then read on for a while.
net::awaitable<void> connection::linger() {
  co_await transport_->end_output();
  std::size_t budget = unread_ ? 2 * limits_.body_bytes : answered_ ? read_ahead_limit : 0;
  std::array<char, 16 * 1024> bytes;
  watchdog_.arm(shared_from_this(), std::chrono::seconds(2));
  while (budget > 0) {
    const auto [failure, count] = co_await transport_->read_some(net::buffer(bytes));
    if (failure) break;
    budget -= std::min(budget, count);
  }
  watchdog_.disarm();
  transport_->close();
}

}  // namespace neap::http
