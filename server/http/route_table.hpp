#pragma once
// All routes, listed once: dispatch, 404, 405 and descriptions read this table.

#include "server/http/access.hpp"
#include "server/http/exchange.hpp"
#include "server/http/service.hpp"

#include <span>
#include <string>
#include <string_view>

namespace neap::http {

inline constexpr std::string_view websocket_path = "/v1/ws";

struct route {
  std::string_view name;    // operation, for logs and descriptions
  std::string_view method;  // GET or POST; GET routes answer HEAD too
  std::string_view path;  // the last part may be a name in braces, for anything
  void (*handle)(service& context, const exchange_ptr& x);
  bool while_draining = false;  // a probe: answered until the drain ends
  access_class access = access_class::user;
};

std::span<const route> routes() noexcept;

// The route for a request, or null and the answer that says why: 404, 405 with Allow, 501 for methods that no
// route could know, 204 for OPTIONS.
struct route_match {
  const route* found = nullptr;
  response otherwise;
};
route_match find_route(std::string_view method, std::string_view path);

}  // namespace neap::http
