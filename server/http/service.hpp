#pragma once
// What the route handlers work with.

#include "messages/gateway.hpp"
#include "server/api/api_request.hpp"
#include "server/http/limits.hpp"

#include <functional>
#include <random>

namespace neap::http {

struct service {
  neap::gateway& gateway;
  http::limits limits;
  std::mt19937_64 random{std::random_device{}()};  // seeds for requests that give none

  api::validation_context validation() { return {gateway.models(), random()}; }
};

}  // namespace neap::http
