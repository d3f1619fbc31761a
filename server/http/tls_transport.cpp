#include "server/http/tls_context.hpp"
#include "server/http/transport.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>

namespace neap::http {

namespace net = boost::asio;
namespace ssl = net::ssl;
using tcp = net::ip::tcp;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);

// For the client's half of the closing handshake.
constexpr std::chrono::seconds goodbye_time{1};

class tls_transport final : public transport {
 public:
  tls_transport(tcp::socket socket, std::size_t send_buffer_bytes, tls_context context)
      : context_(std::move(context)), stream_(std::move(socket), *context_), loopback_(is_from_loopback(lowest())) {
    error_code ignored;
    lowest().set_option(tcp::no_delay(true), ignored);
    lowest().set_option(net::socket_base::send_buffer_size(static_cast<int>(send_buffer_bytes)), ignored);
  }

  net::any_io_executor executor() override { return stream_.get_executor(); }
  bool from_loopback() const override { return loopback_; }

  net::awaitable<error_code> handshake() override {
    const auto [failure] = co_await stream_.async_handshake(ssl::stream_base::server, awaited);
    encrypted_ = !failure;
    co_return failure;
  }

  net::awaitable<outcome> read_some(net::mutable_buffer into) override {
    co_return co_await stream_.async_read_some(into, awaited);
  }

  net::awaitable<outcome> write_some(net::const_buffer from) override {
    co_return co_await stream_.async_write_some(from, awaited);
  }

  void cancel() override {
    error_code ignored;
    lowest().cancel(ignored);
  }

  // Without the closing alert a client cannot tell the end of an answer from a cut (RFC 8446, 6.1).
  net::awaitable<void> end_output() override {
    error_code ignored;
    if (encrypted_) {
      net::steady_timer limit(stream_.get_executor(), goodbye_time);
      limit.async_wait([this](const error_code& cancelled) {
        if (!cancelled) cancel();
      });
      co_await stream_.async_shutdown(awaited);
      encrypted_ = false;
    }
    lowest().shutdown(tcp::socket::shutdown_send, ignored);
  }

  void close() override {
    error_code ignored;
    lowest().close(ignored);
  }

  void reset() override {
    error_code ignored;
    lowest().set_option(net::socket_base::linger(true, 0), ignored);
    lowest().close(ignored);
  }

 private:
  tcp::socket& lowest() { return stream_.next_layer(); }

  tls_context context_;  // outlives a reload
  ssl::stream<tcp::socket> stream_;
  bool loopback_;
  bool encrypted_ = false;
};

}  // namespace

std::unique_ptr<transport> make_tls_transport(tcp::socket socket, std::size_t send_buffer_bytes, tls_context context) {
  return std::make_unique<tls_transport>(std::move(socket), send_buffer_bytes, std::move(context));
}

}  // namespace neap::http
