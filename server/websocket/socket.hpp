#pragma once
// One WebSocket: frames, pings, limits and the closing handshake, without any idea of what the messages say.
// Everything runs on the io thread. No Beast in this header.

#include "server/http/upgrade.hpp"
#include "server/websocket/options.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace neap::websocket {

// RFC 6455, section 7.4.1; those that we send ourselves. Beast sends 1002, 1007 and 1009.
enum class close_code : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  unsupported_data = 1003,
  policy_violation = 1008,
  internal_error = 1011,
  try_again_later = 1013,
};

// Who gets the messages. Outlives the socket's run().
class socket_owner {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~socket_owner() = default;

  // The view is good during the call.
  virtual void on_message(std::string_view message, bool binary) = 0;
  // buffered() fell to 0.
  virtual void on_drained() = 0;
  // Now and then.
  virtual void on_tick(time_point now) = 0;
  // Nothing can be sent any more. Once.
  virtual void on_closed() = 0;
  // A busy socket is not closed for want of messages.
  virtual bool busy() const = 0;
};

class socket {
 public:
  virtual ~socket() = default;

  // From the answer to the upgrade to the end of the connection.
  virtual boost::asio::awaitable<void> run(socket_owner& owner) = 0;

  virtual void send(std::string message, bool binary) = 0;
  // Bytes of messages that the peer's kernel has not taken yet.
  virtual std::size_t buffered() const = 0;

  // Sends what waits, then closes; incoming messages are ignored from now on. Once; later calls do nothing.
  virtual void close(close_code code, std::string_view reason) = 0;
  // Ends the connection without a word.
  virtual void reset() = 0;
};

// `subprotocol` empty: none is named in the answer.
std::shared_ptr<socket> make_socket(http::upgrade_request from, std::string subprotocol, const options& with);

}  // namespace neap::websocket
