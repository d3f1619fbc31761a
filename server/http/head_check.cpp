#include "server/http/head_check.hpp"

#include "server/api/quote.hpp"

#include <algorithm>
#include <cctype>

namespace neap::http {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

error bad(std::string message) { return {error_code::invalid_request, std::move(message), {}}; }

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "host", "host:port", "[v6]:port" -> the host alone, lower case.
std::string host_name(std::string_view value) {
  if (value.starts_with('[')) return lower(value.substr(0, value.find(']') + 1));
  return lower(value.substr(0, value.find(':')));
}

bool is_loopback(const std::string& host) {
  const bool dotted = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || (dotted && host.starts_with("127."));
}

std::optional<error> check_host(const request_head& head, const head_rules& rules) {
  const auto hosts = head.count("host");
  if (hosts > 1) return bad("several Host headers");
  if (hosts == 0) {
    if (head.version == 10) return std::nullopt;
    return bad("HTTP/1.1 requests need a Host header");
  }
  const auto host = head.value("host");
  if (!rules.require_loopback_host || is_loopback(host_name(host))) return std::nullopt;
  return bad("the Host header " + api::quote(host) +
             " does not name loopback; start the server with --insecure to serve other names");
}

}  // namespace

std::optional<error> check_framing(const request_head& head) {
  const auto encodings = head.count("transfer-encoding");
  const auto lengths = head.count("content-length");
  if (encodings > 0) {
    if (encodings > 1 || lower(head.value("transfer-encoding")) != "chunked") {
      return bad("the only Transfer-Encoding understood is exactly `chunked`");
    }
    if (lengths > 0) return bad("Transfer-Encoding and Content-Length exclude each other");
    if (head.version == 10) return bad("HTTP/1.0 knows no Transfer-Encoding");
  }
  if (lengths > 1) return bad("several Content-Length headers");
  if (lengths == 1) {
    const auto length = head.value("content-length");
    if (length.empty() || length.find_first_not_of("0123456789") != std::string_view::npos) {
      return bad("Content-Length must be digits only");
    }
  }
  return std::nullopt;
}

std::optional<error> check_fields(const request_head& head, const head_rules& rules) {
  if (auto fault = check_host(head, rules)) return fault;
  if (head.method != "POST") return std::nullopt;
  if (head.count("content-encoding") > 0 && lower(head.value("content-encoding")) != "identity") {
    return error{
        error_code::unsupported_media_type, "compressed bodies are not supported; send plain JSON", {}};
  }
  if (head.count("content-type") > 0) {
    const auto type = head.value("content-type");
    if (head.count("content-type") > 1 || lower(trim(type.substr(0, type.find(';')))) != "application/json") {
      return error{error_code::unsupported_media_type,
                   "Content-Type " + api::quote(type) + " is not supported; use application/json",
                   {}};
    }
  }
  return std::nullopt;
}

std::string request_path(const request_head& head) {
  std::string_view target = head.target;
  if (target == "*") return "*";
  if (const auto scheme = lower(target.substr(0, 8)); scheme.starts_with("http://")) {
    target.remove_prefix(7);
    const auto slash = target.find_first_of("/?");
    if (slash == std::string_view::npos || target[slash] == '?') return "/";
    target.remove_prefix(slash);
  }
  if (!target.starts_with('/')) return {};
  return std::string(target.substr(0, target.find_first_of("?#")));
}

bool expects_continue(const request_head& head) {
  return head.version == 11 && head.has_body() && lower(head.value("expect")) == "100-continue";
}

}  // namespace neap::http
