#pragma once
// Rules on a request's head that decide before its body is read.

#include "server/http/http_message.hpp"

#include <optional>
#include <string>

namespace neap::http {

struct head_rules {
  bool require_loopback_host = true;  // without API keys the host must be loopback
};

// Framing that two parsers could read differently: Transfer-Encoding other than exactly `chunked`, together
// with Content-Length, or in HTTP/1.0; several or odd Content-Lengths. Such a connection is closed.
std::optional<error> check_framing(const request_head& head);

// Host (the authority of an absolute target counts as the host), Content-Encoding and Content-Type.
std::optional<error> check_fields(const request_head& head, const head_rules& rules);

// Path of the target: without query, without scheme and authority of the absolute form. Empty if the target
// is neither form.
std::string request_path(const request_head& head);

// Percent-encoding (RFC 3986, 2.1) undone; what is no encoding stays.
std::string percent_decoded(std::string_view text);

// True if the client waits for "100 Continue" before it sends the body.
bool expects_continue(const request_head& head);

}  // namespace neap::http
