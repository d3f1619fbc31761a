#pragma once
// HTTP requests and responses as plain values: what handlers see. No Beast.

#include "messages/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neap::http {

struct header_field {
  std::string name;  // lower case
  std::string value;
};

// Start line and headers as received, before any body.
struct request_head {
  std::string method;
  std::string target;
  int version = 11;  // 10 or 11
  bool keep_alive = true;
  std::vector<header_field> fields;

  // Number of fields with this lower-case name, and the first one's value (empty if none).
  std::size_t count(std::string_view name) const noexcept;
  std::string_view value(std::string_view name) const noexcept;
  // A body follows the head.
  bool has_body() const noexcept;
};

struct response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  bool close = false;                                        // end the connection after it
  std::optional<error> fault;                                // what it tells, for the log
};

// Status, JSON body, and Retry-After where trying again can help.
response error_response(const error& fault);

// "OK", "Not Found", ...; "Unknown" for others.
std::string_view reason_phrase(int status) noexcept;

}  // namespace neap::http
