#include "server/http/transport.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace neap::http {

namespace net = boost::asio;
using tcp = net::ip::tcp;

namespace {

constexpr auto awaited = net::as_tuple(net::use_awaitable);

class plain_transport final : public transport {
 public:
  plain_transport(tcp::socket socket, std::size_t send_buffer_bytes)
      : socket_(std::move(socket)), loopback_(is_from_loopback(socket_)) {
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.set_option(net::socket_base::send_buffer_size(static_cast<int>(send_buffer_bytes)), ignored);
  }

  net::any_io_executor executor() override { return socket_.get_executor(); }
  bool from_loopback() const override { return loopback_; }

  net::awaitable<error_code> handshake() override { co_return error_code{}; }

  net::awaitable<outcome> read_some(net::mutable_buffer into) override {
    co_return co_await socket_.async_read_some(into, awaited);
  }

  net::awaitable<outcome> write_some(net::const_buffer from) override {
    co_return co_await socket_.async_write_some(from, awaited);
  }

  void cancel() override {
    error_code ignored;
    socket_.cancel(ignored);
  }

  net::awaitable<void> end_output() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    co_return;
  }

  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

  void reset() override {
    error_code ignored;
    socket_.set_option(net::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
  }

 private:
  tcp::socket socket_;
  bool loopback_;
};

}  // namespace

bool is_from_loopback(const tcp::socket& socket) {
  boost::system::error_code failure;
  const auto end = socket.remote_endpoint(failure);
  if (failure) return false;
  const auto& address = end.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

std::unique_ptr<transport> make_plain_transport(tcp::socket socket, std::size_t send_buffer_bytes) {
  return std::make_unique<plain_transport>(std::move(socket), send_buffer_bytes);
}

}  // namespace neap::http
