#pragma once
// Errors are values: a code, one line of text that says what to do, and the field at fault.

#include <cstdint>
#include <string>
#include <string_view>

namespace neap {

enum class error_code : std::uint8_t {
  // The client's fault.
  invalid_request,          // wrong type, out of range, bad combination of fields
  invalid_json,             // body is not JSON or not UTF-8
  context_length_exceeded,  // prompt (and answer) do not fit the model's context
  template_refused,         // the chat template raised an exception
  template_missing,         // chat on a model without a chat template
  unsupported_field,        // a known field that this build cannot honour
  invalid_api_key,
  route_not_found,
  model_not_found,
  method_not_allowed,
  unsupported_media_type,
  request_timeout,  // headers or body came too slowly
  content_too_large,
  header_too_large,
  rate_limit_exceeded,
  // The server's state.
  server_overloaded,  // queue full
  model_loading,
  draining,  // shutting down
  // How a request can end early.
  cancelled,
  deadline_exceeded,
  // Start-up problems: never sent over HTTP.
  invalid_model_file,
  unsupported_model,
  invalid_configuration,
  out_of_memory,
  device_unavailable,
  // Our bug.
  internal,
};

struct error {
  error_code code = error_code::internal;
  std::string message;  // one line, valid UTF-8, echoes at most 200 bytes of user text
  std::string param;    // request field at fault, empty if none

  friend bool operator==(const error&, const error&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, error& x) {
  return f(x.code, x.message, x.param);
}

// HTTP status for a code; the only place where the two meet.
int http_status(error_code code) noexcept;

// OpenAI's `error.type` for a code, e.g. "invalid_request_error".
std::string_view error_type(error_code code) noexcept;

// OpenAI's `error.code` for a code, e.g. "context_length_exceeded".
std::string_view error_name(error_code code) noexcept;

// True when trying again later can help, so the answer carries `Retry-After`.
bool is_retryable(error_code code) noexcept;

}  // namespace neap
