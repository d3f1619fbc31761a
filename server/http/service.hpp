#pragma once
// What the route handlers work with.

#include "messages/gateway.hpp"
#include "server/api/api_request.hpp"
#include "server/http/limits.hpp"

#include <atomic>
#include <random>

namespace neap::http {

struct service {
  neap::gateway& gateway;
  http::limits limits;
  std::atomic<bool> draining{false};  // only probes are answered, each on a connection of its own
  std::mt19937_64 random{std::random_device{}()};  // seeds for requests that give none

  service(neap::gateway& to, const http::limits& within) : gateway(to), limits(within) {}

  api::validation_context validation() { return {gateway.models(), random()}; }
};

}  // namespace neap::http
