#pragma once
// The HTTP/1.1 edge: one listening socket, one io thread. No Beast and no CAF in this header.

#include "messages/gateway.hpp"
#include "messages/result.hpp"
#include "server/http/access.hpp"
#include "server/http/event_log.hpp"
#include "server/http/limits.hpp"
#include "server/http/tls_context.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace neap::http {

class upgrader;

struct server_options {
  std::string host = "127.0.0.1";  // address or name to listen on
  std::uint16_t port = 8000;       // 0 = any free one
  bool insecure = false;           // accept any Host header, and addresses that are not loopback, without keys
  http::limits limits;
  access_rules access;
  tls_context tls;  // empty: HTTP without TLS
  event_log::writer log;  // empty: the program's log
  std::shared_ptr<upgrader> upgrades;  // empty: none
};

class http_server {
 public:
  // Takes the port, but answers nobody yet. Errors: invalid_configuration in one line (port in use, unknown
  // host, address that is not loopback without `insecure`).
  static result<std::unique_ptr<http_server>> bind(const server_options& options);

  virtual ~http_server() = default;  // stops at once

  virtual std::uint16_t port() const = 0;

  // Begins to accept; requests go to the gateway, which must live until stop() returned and must not push
  // events after the destructor of this object. Once.
  virtual result<void> serve(gateway& to) = 0;

  // New keys, origins and certificate, for requests and connections from now on. After serve(). Any thread.
  virtual void reload(access_rules access, tls_context tls) = 0;

  // Closes idle connections; answers under way go on and end their connections. New connections are still
  // accepted, for one request each: health, readiness and metrics are answered, the rest is refused with 503.
  // Any thread.
  virtual void begin_drain() = 0;

  // Stops accepting, waits until open connections ended, at most `limit`, then ends the io thread. Any
  // thread, once.
  virtual void stop(std::chrono::milliseconds limit) = 0;
};

}  // namespace neap::http
