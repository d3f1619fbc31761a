#pragma once
// Makes WebSockets of the connections that ask for it at /v1/ws. No Beast in this header.

#include "server/websocket/options.hpp"

#include <functional>
#include <memory>
#include <string>

namespace neap::http {
class upgrader;
}

namespace neap::websocket {

// Whether a browser's page of this origin may open a WebSocket, besides pages of this server.
using origin_rule = std::function<bool(const std::string& origin)>;

std::shared_ptr<http::upgrader> make_upgrader(const options& with, origin_rule may_open);

}  // namespace neap::websocket
