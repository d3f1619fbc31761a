#pragma once
// Makes WebSockets of the connections that ask for it at /v1/ws. No Beast in this header.

#include "server/websocket/options.hpp"

#include <memory>

namespace neap::http {
class upgrader;
}

namespace neap::websocket {

// Pages of this server and of the allowed origins may open one.
std::shared_ptr<http::upgrader> make_upgrader(const options& with);

}  // namespace neap::websocket
