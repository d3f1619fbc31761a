#include "server/http/http_message.hpp"

#include "server/api/answer_writer.hpp"

#include <algorithm>
#include <array>

namespace neap::http {

std::size_t request_head::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; }));
}

std::string_view request_head::value(std::string_view name) const noexcept {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
  return found == fields.end() ? std::string_view{} : std::string_view(found->value);
}

bool request_head::has_body() const noexcept {
  return count("transfer-encoding") > 0 || (count("content-length") > 0 && value("content-length") != "0");
}

response error_response(const error& fault) {
  response out;
  out.status = http_status(fault.code);
  out.body = api::error_body(fault);
  out.fault = fault;
  // Seconds; a queue of the default length turns over faster than this.
  if (is_retryable(fault.code)) out.headers.emplace_back("Retry-After", "1");
  if (fault.code == error_code::invalid_api_key) out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

std::string_view reason_phrase(int status) noexcept {
  using entry = std::pair<int, std::string_view>;
  static constexpr std::array phrases{
      entry{200, "OK"},
      entry{204, "No Content"},
      entry{400, "Bad Request"},
      entry{401, "Unauthorized"},
      entry{403, "Forbidden"},
      entry{404, "Not Found"},
      entry{405, "Method Not Allowed"},
      entry{408, "Request Timeout"},
      entry{413, "Content Too Large"},
      entry{415, "Unsupported Media Type"},
      entry{426, "Upgrade Required"},
      entry{429, "Too Many Requests"},
      entry{431, "Request Header Fields Too Large"},
      entry{499, "Client Closed Request"},
      entry{500, "Internal Server Error"},
      entry{501, "Not Implemented"},
      entry{503, "Service Unavailable"},
  };
  const auto found = std::find_if(phrases.begin(), phrases.end(), [&](auto p) { return p.first == status; });
  return found == phrases.end() ? "Unknown" : found->second;
}

}  // namespace neap::http
