#include "server/websocket/transport_stream.hpp"

#include <boost/asio/error.hpp>

namespace neap::websocket {

namespace net = boost::asio;

namespace {

constexpr std::size_t bytes_after_the_end = 1024 * 1024;  // what a peer may still send once all is said

}  // namespace

net::awaitable<transport_stream::outcome> transport_stream::read(net::mutable_buffer into) {
  if (!already_read_.empty()) {
    const auto count = net::buffer_copy(into, net::buffer(already_read_));
    already_read_.erase(0, count);
    co_return outcome{error_code{}, count};
  }
  const auto result = co_await transport_->read_some(into);
  if (std::get<1>(result) > 0) last_read_ = std::chrono::steady_clock::now();
  co_return result;
}

net::awaitable<transport_stream::outcome> transport_stream::write(net::const_buffer from) {
  write_began_ = std::chrono::steady_clock::now();
  const auto result = co_await transport_->write_some(from);
  write_began_.reset();
  co_return result;
}

net::awaitable<transport_stream::outcome> transport_stream::end() {
  co_await transport_->end_output();
  std::array<char, 1024> unread;
  std::size_t total = 0;
  while (total < bytes_after_the_end) {
    const auto [failure, count] = co_await transport_->read_some(net::buffer(unread));
    total += count;
    if (failure == net::error::eof) co_return outcome{error_code{}, total};
    if (failure) co_return outcome{failure, total};
  }
  co_return outcome{error_code(net::error::no_buffer_space), total};
}

void beast_close_socket(transport_stream& stream) { stream.bytes().close(); }

}  // namespace neap::websocket
