#pragma once
// Configuration -> options of the parts.

#include "messages/proto/config.pb.h"
#include "server/http/http_server.hpp"
#include "server/node.hpp"

namespace neap::server {

// Precondition: config::validate(config) is in order.
node_options make_node_options(const config::Config& config);
http::server_options make_server_options(const config::Config& config);

}  // namespace neap::server
