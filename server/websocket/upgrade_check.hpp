#pragma once
// Whether a request's head may become a WebSocket, and in which form its messages go. No Beast.

#include "server/http/http_message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace neap::websocket {

inline constexpr std::string_view key_prefix = "neap.key.";

// Asks for a WebSocket, whether correctly or not.
bool asks_for_websocket(const http::request_head& head);

// Browsers cannot set headers on a WebSocket, so they may offer their key as a subprotocol: neap.key. and the
// base64url form of the key, without padding. Becomes an Authorization field unless there is one; the entry
// is taken from the list in any case, so that nothing echoes or logs it.
void move_key_to_header(http::request_head& head);

// What is wrong with the head: version, key, body, or no subprotocol that we know.
std::optional<http::response> refuse_handshake(const http::request_head& head);

// The first offered subprotocol that we know; empty if none was offered.
std::string choose_subprotocol(const http::request_head& head);

}  // namespace neap::websocket
