#pragma once
// The bytes of one connection, whatever carries them. A connection knows nothing else of the network, so that
// another transport needs only another class.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <tuple>

namespace boost::asio::ssl {
class context;
}

namespace neap::http {

// One thread. At most one read and one write are pending at a time, and they may overlap.
class transport {
 public:
  using error_code = boost::system::error_code;
  using outcome = std::tuple<error_code, std::size_t>;  // bytes that were moved even if it failed

  virtual ~transport() = default;

  virtual boost::asio::any_io_executor executor() = 0;

  // The client is on this machine.
  virtual bool from_loopback() const = 0;

  // What has to happen before the first byte of HTTP.
  virtual boost::asio::awaitable<error_code> handshake() = 0;

  // At least one byte, or a failure; the end of input is one.
  virtual boost::asio::awaitable<outcome> read_some(boost::asio::mutable_buffer into) = 0;
  virtual boost::asio::awaitable<outcome> write_some(boost::asio::const_buffer from) = 0;

  // Pending operations fail with operation_aborted; no byte is lost and the connection stays usable.
  virtual void cancel() = 0;

  // Tells the client that nothing more comes; reading goes on.
  virtual boost::asio::awaitable<void> end_output() = 0;

  virtual void close() = 0;
  // Closes so that the client sees a failure and not a proper end.
  virtual void reset() = 0;
};

// True if the other end is a loopback address; false if it is gone.
bool is_from_loopback(const boost::asio::ip::tcp::socket& socket);

// TCP without encryption. `send_buffer_bytes` is the kernel's.
std::unique_ptr<transport> make_plain_transport(boost::asio::ip::tcp::socket socket,
                                                std::size_t send_buffer_bytes);

// The same with TLS (tls_context.hpp).
std::unique_ptr<transport> make_tls_transport(boost::asio::ip::tcp::socket socket, std::size_t send_buffer_bytes,
                                              std::shared_ptr<boost::asio::ssl::context> context);

}  // namespace neap::http
