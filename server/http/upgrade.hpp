#pragma once
// Connections that leave HTTP for another protocol: what a connection needs to know of it.

#include "server/http/access.hpp"
#include "server/http/http_message.hpp"
#include "server/http/transport.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace neap::http {

struct server_state;

// A connection after its upgrade. The io thread only.
class upgraded {
 public:
  virtual ~upgraded() = default;

  // Its whole life, the answer to the upgrade included.
  virtual boost::asio::awaitable<void> run() = 0;
  // The server shuts down: ends as soon as nothing is under way.
  virtual void begin_drain() = 0;
  // Closes it whatever it does: after a failure of ours.
  virtual void abandon() = 0;
};

struct upgrade_request {
  request_head head;
  std::string already_read;  // bytes that followed the head
  std::unique_ptr<transport> bytes;
  std::shared_ptr<server_state> state;
  caller from;
};

// Decides on upgrades; shared by all connections of a server.
class upgrader {
 public:
  virtual ~upgrader() = default;

  // True if the head asks for an upgrade that this object serves.
  virtual bool wants(const request_head& head) const = 0;
  // Moves what such a head carries in places of its own to where HTTP has it, before any check.
  virtual void prepare(request_head& head) const = 0;
  // Why it cannot be; for heads that passed the checks of HTTP.
  virtual std::optional<response> refuse(const request_head& head) const = 0;

  virtual std::shared_ptr<upgraded> take(upgrade_request from) const = 0;
};

}  // namespace neap::http
