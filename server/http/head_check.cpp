#include "server/http/head_check.hpp"

#include "server/api/quote.hpp"

#include <algorithm>
#include <charconv>
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

// A port is digits, and may be empty.
bool is_port(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

// "host", "host:port", "[v6]:port" -> the host alone, lower case; nothing if it is none of these.
std::optional<std::string> host_name(std::string_view value) {
  static constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%!$&'()*+,;=";
  std::size_t end = std::min(value.find_first_not_of(letters), value.size());
  if (value.starts_with('[')) {
    end = value.find(']');
    if (end == std::string_view::npos || value.find_first_not_of("0123456789abcdefABCDEF:.", 1) != end) {
      return std::nullopt;
    }
    ++end;
  }
  const auto rest = value.substr(end);
  if (!rest.empty() && (rest[0] != ':' || !is_port(rest.substr(1)))) return std::nullopt;
  return lower(value.substr(0, end));
}

bool is_loopback(const std::string& host) {
  const bool dotted = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || (dotted && host.starts_with("127."));
}

// Of an absolute target; 0 for the ordinary form.
std::size_t scheme_length(const request_head& head) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (lower(head.target.substr(0, scheme.size())) == scheme) return scheme.size();
  return 0;
}

bool has_absolute_target(const request_head& head) { return scheme_length(head) > 0; }

// Between the scheme and the path of an absolute target.
std::string_view target_authority(const request_head& head) {
  const auto rest = std::string_view(head.target).substr(scheme_length(head));
  return rest.substr(0, rest.find_first_of("/?#"));
}

// An absolute target's authority stands in for the Host header, whatever that says (RFC 9112, 3.2.2).
std::optional<error> check_host(const request_head& head, const head_rules& rules) {
  const auto hosts = head.count("host");
  if (hosts > 1) return bad("several Host headers");
  if (hosts == 0 && head.version != 10) return bad("HTTP/1.1 requests need a Host header");
  const bool absolute = has_absolute_target(head);
  if (hosts == 0 && !absolute) return std::nullopt;
  const auto host = absolute ? target_authority(head) : head.value("host");
  const auto name = host_name(host);
  if (!name || (absolute && name->empty())) return bad(api::quote(host) + " is not a host name");
  if (!rules.require_loopback_host || is_loopback(*name)) return std::nullopt;
  return bad("the host " + api::quote(host) +
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
  if (has_absolute_target(head)) {
    target.remove_prefix(scheme_length(head) + target_authority(head).size());
    if (!target.starts_with('/')) return "/";
  }
  if (!target.starts_with('/')) return {};
  return std::string(target.substr(0, target.find_first_of("?#")));
}

bool expects_continue(const request_head& head) {
  return head.version == 11 && head.has_body() && lower(head.value("expect")) == "100-continue";
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const auto* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace neap::http
