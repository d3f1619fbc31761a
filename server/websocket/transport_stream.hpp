#pragma once
// http::transport in the shape that Beast's websocket::stream wants below it. Notes when bytes moved, which
// is what tells a living peer from a vanished one.

#include "server/http/transport.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/beast/core/role.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace neap::websocket {

class transport_stream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using time_point = std::chrono::steady_clock::time_point;
  using error_code = http::transport::error_code;
  using outcome = http::transport::outcome;

  // `already_read` comes before what the transport delivers.
  transport_stream(std::unique_ptr<http::transport> bytes, std::string already_read)
      : transport_(std::move(bytes)), already_read_(std::move(already_read)) {}

  executor_type get_executor() { return transport_->executor(); }
  http::transport& bytes() { return *transport_; }

  // When the last bytes came. / Since when the peer takes none of what is being written.
  time_point last_read() const noexcept { return last_read_; }
  // As if bytes had come: after a time in which nobody read.
  void touch() { last_read_ = std::chrono::steady_clock::now(); }
  std::optional<time_point> write_began() const noexcept { return write_began_; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& into, Token&& token) {
    return start(std::forward<Token>(token),
                 [this, buffer = first<boost::asio::mutable_buffer>(into)] { return read(buffer); });
  }

  // A frame's header and a small payload leave in one packet.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& from, Token&& token) {
    auto buffer = first<boost::asio::const_buffer>(from);
    if (buffer.size() < joined_.size() && boost::asio::buffer_size(from) > buffer.size()) {
      buffer = {joined_.data(), boost::asio::buffer_copy(boost::asio::buffer(joined_), from)};
    }
    return start(std::forward<Token>(token), [this, buffer] { return write(buffer); });
  }

  // Ends our side, then reads until the peer ended its own.
  boost::asio::awaitable<outcome> end();

 private:
  template <class Buffer, class Buffers>
  static Buffer first(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at) {
      const Buffer buffer(*at);
      if (buffer.size() > 0) return buffer;
    }
    return {};
  }

  template <class Token, class Work>
  auto start(Token&& token, Work work) {
    const auto initiate = [this](auto&& handler, Work begin) {
      boost::asio::co_spawn(
          get_executor(), begin(),
          [h = std::forward<decltype(handler)>(handler)](std::exception_ptr failure, outcome result) mutable {
            if (failure) std::rethrow_exception(failure);
            std::move(h)(std::get<0>(result), std::get<1>(result));
          });
    };
    return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(initiate, token,
                                                                             std::move(work));
  }

  boost::asio::awaitable<outcome> read(boost::asio::mutable_buffer into);
  boost::asio::awaitable<outcome> write(boost::asio::const_buffer from);

  std::unique_ptr<http::transport> transport_;
  std::string already_read_;
  time_point last_read_ = std::chrono::steady_clock::now();
  std::optional<time_point> write_began_;
  std::array<char, 1024> joined_;
};

// Beast finds these by the argument's namespace.
void beast_close_socket(transport_stream& stream);

template <class Handler>
void async_teardown(boost::beast::role_type, transport_stream& stream, Handler&& handler) {
  boost::asio::co_spawn(
      stream.get_executor(), stream.end(),
      [h = std::forward<Handler>(handler)](std::exception_ptr, transport_stream::outcome result) mutable {
        std::move(h)(std::get<0>(result));
      });
}

}  // namespace neap::websocket
