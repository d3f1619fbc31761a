#include "messages/error.hpp"

#include <array>

namespace neap {
namespace {

struct error_traits {
  error_code code;
  int status;
  std::string_view type;
  std::string_view name;
};

constexpr std::string_view invalid = "invalid_request_error";
constexpr std::string_view server = "server_error";

// In the order of the enumeration; error_test checks that no code is missing.
constexpr std::array table{
    error_traits{error_code::invalid_request, 400, invalid, "invalid_request"},
    error_traits{error_code::invalid_json, 400, invalid, "invalid_json"},
    error_traits{error_code::context_length_exceeded, 400, invalid, "context_length_exceeded"},
    error_traits{error_code::template_refused, 400, invalid, "template_refused"},
    error_traits{error_code::template_missing, 400, invalid, "template_missing"},
    error_traits{error_code::unsupported_field, 400, invalid, "unsupported_field"},
    error_traits{error_code::invalid_api_key, 401, "authentication_error", "invalid_api_key"},
    error_traits{error_code::route_not_found, 404, invalid, "not_found"},
    error_traits{error_code::model_not_found, 404, invalid, "model_not_found"},
    error_traits{error_code::method_not_allowed, 405, invalid, "method_not_allowed"},
    error_traits{error_code::unsupported_media_type, 415, invalid, "unsupported_media_type"},
    error_traits{error_code::request_timeout, 408, invalid, "request_timeout"},
    error_traits{error_code::content_too_large, 413, invalid, "content_too_large"},
    error_traits{error_code::header_too_large, 431, invalid, "header_too_large"},
    error_traits{error_code::rate_limit_exceeded, 429, "rate_limit_error", "rate_limit_exceeded"},
    error_traits{error_code::server_overloaded, 503, server, "server_overloaded"},
    error_traits{error_code::model_loading, 503, server, "model_loading"},
    error_traits{error_code::draining, 503, server, "draining"},
    error_traits{error_code::cancelled, 499, invalid, "cancelled"},
    error_traits{error_code::deadline_exceeded, 408, invalid, "deadline_exceeded"},
    error_traits{error_code::invalid_model_file, 500, server, "invalid_model_file"},
    error_traits{error_code::unsupported_model, 500, server, "unsupported_model"},
    error_traits{error_code::invalid_configuration, 500, server, "invalid_configuration"},
    error_traits{error_code::out_of_memory, 503, server, "out_of_memory"},
    error_traits{error_code::device_unavailable, 503, server, "device_unavailable"},
    error_traits{error_code::internal, 500, server, "internal_error"},
};

const error_traits& traits(error_code code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < table.size() ? table[index] : table.back();
}

}  // namespace

int http_status(error_code code) noexcept { return traits(code).status; }

std::string_view error_type(error_code code) noexcept { return traits(code).type; }

std::string_view error_name(error_code code) noexcept { return traits(code).name; }

bool is_retryable(error_code code) noexcept {
  return http_status(code) == 503 || code == error_code::rate_limit_exceeded;
}

}  // namespace neap
