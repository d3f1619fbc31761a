#include "server/http/route_table.hpp"

#include "server/api/quote.hpp"
#include "server/http/handlers.hpp"

#include <algorithm>
#include <array>

namespace neap::http {
namespace {

constexpr std::array table{
    route{"chat_completions", "POST", "/v1/chat/completions", handle_chat},
    route{"completions", "POST", "/v1/completions", handle_completions},
    route{"responses", "POST", "/v1/responses", handle_responses},
    route{"embeddings", "POST", "/v1/embeddings", handle_embeddings},
    route{"models", "GET", "/v1/models", handle_models},
    route{"model", "GET", "/v1/models/{model}", handle_model},
    route{"tokenize", "POST", "/tokenize", handle_tokenize},
    route{"detokenize", "POST", "/detokenize", handle_detokenize},
    route{"websocket", "GET", websocket_path, handle_websocket},
    route{"health", "GET", "/health", handle_health, true, access_class::open},
    route{"ready", "GET", "/ready", handle_ready, true, access_class::open},
    route{"metrics", "GET", "/metrics", handle_metrics, true},
    route{"openapi", "GET", "/openapi.json", handle_openapi, true},
    route{"actors", "GET", "/neap/v1/actors", handle_actors, true, access_class::admin},
    route{"requests", "GET", "/neap/v1/requests", handle_requests, true, access_class::admin},
};

constexpr std::array<std::string_view, 8> known_methods{"GET",    "HEAD",    "POST",  "PUT",
                                                        "DELETE", "OPTIONS", "PATCH", "TRACE"};

bool answers(const route& r, std::string_view method) {
  return r.method == method || (method == "HEAD" && r.method == "GET");
}

// "/v1/models/{model}" takes every path below /v1/models/; names may hold slashes.
bool takes(const route& r, std::string_view path) {
  const auto brace = r.path.find('{');
  if (brace == std::string_view::npos) return r.path == path;
  return path.size() > brace && path.starts_with(r.path.substr(0, brace));
}

std::string allowed(std::string_view path) {
  std::string out;
  for (const auto& r : table) {
    if (takes(r, path) || path == "*") {
      if (out.find(r.method) != std::string::npos) continue;
      out += (out.empty() ? "" : ", ") + std::string(r.method);
      if (r.method == "GET") out += ", HEAD";
    }
  }
  return out + ", OPTIONS";
}

response refusal(error_code code, std::string message) {
  return error_response({code, std::move(message), {}});
}

}  // namespace

std::span<const route> routes() noexcept { return table; }

route_match find_route(std::string_view method, std::string_view path) {
  route_match out;
  if (std::find(known_methods.begin(), known_methods.end(), method) == known_methods.end()) {
    out.otherwise =
        refusal(error_code::method_not_allowed, "the method " + api::quote(method) + " is unknown");
    out.otherwise.status = 501;
    return out;
  }
  const bool known =
      path == "*" || std::any_of(table.begin(), table.end(), [&](const auto& r) { return takes(r, path); });
  if (!known) {
    out.otherwise = refusal(error_code::route_not_found, "there is no route " + api::quote(path));
    return out;
  }
  for (const auto& r : table) {
    if (takes(r, path) && answers(r, method)) out.found = &r;
  }
  if (out.found != nullptr) return out;
  if (method == "OPTIONS") {
    out.otherwise.status = 204;
    out.otherwise.content_type.clear();
  } else {
    out.otherwise =
        refusal(error_code::method_not_allowed, api::quote(path) + " does not take " + std::string(method));
  }
  out.otherwise.headers.emplace_back("Allow", allowed(path));
  return out;
}

}  // namespace neap::http
