#pragma once
// What client and server tell each other over a WebSocket, as plain values; two codecs write and read them.
// docs/websocket.md describes the messages.

#include "messages/error.hpp"
#include "messages/result.hpp"
#include "server/api/api_request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace neap::websocket {

inline constexpr std::size_t id_limit = 64;                             // bytes of a request's id
inline constexpr std::size_t ping_limit = 1024;                         // bytes of a ping's data
inline constexpr std::uint64_t credit_limit = std::uint64_t{1} << 32U;  // tokens in one grant

struct request_message {
  std::string id;
  api::endpoint endpoint = api::endpoint::chat;
  std::string body;                      // JSON, the same as of the HTTP route
  std::optional<std::uint64_t> credits;  // tokens that may be sent; none: no limit
};
struct cancel_message {
  std::string id;
};
struct credit_message {
  std::string id;
  std::uint64_t tokens = 0;
};
struct ping_message {
  std::string data;
};
using client_message = std::variant<request_message, cancel_message, credit_message, ping_message>;

// A message that could not be understood. `id` is that of the request it would have begun, if that much could
// be read, else empty.
struct bad_message {
  std::string id;
  error fault;
};

// The form of the messages on one socket. Stateless.
class codec {
 public:
  virtual ~codec() = default;

  virtual std::string_view subprotocol() const = 0;
  // Binary frames, or else text frames.
  virtual bool binary() const = 0;

  virtual std::variant<client_message, bad_message> read(std::string_view message) const = 0;

  // `json` is the object that an HTTP stream has in one event; `tokens` of text are in it.
  virtual std::string event(std::string_view id, std::string_view json, std::size_t tokens) const = 0;
  // The request's proper end.
  virtual std::string done(std::string_view id) const = 0;
  // Ends the request, or belongs to none if `id` is empty.
  virtual std::string failure(std::string_view id, const error& fault) const = 0;
  virtual std::string pong(std::string_view data) const = 0;
};

const codec& json_codec();
const codec& protobuf_codec();

// Rules for both codecs.
std::optional<error> check_id(std::string_view id);
std::optional<error> check_credits(std::uint64_t tokens, std::string_view param);

}  // namespace neap::websocket
