#pragma once

#include "messages/proto/config.pb.h"
#include "server/node.hpp"

#include <functional>

namespace neap::cli {

// Serves until SIGINT or SIGTERM, then drains; the same, with status 1, when the node gives up. Returns the exit
// status. `end_now` ends the process at once. Of `hooks` only wrap_device counts.
int run_serve(const config::Config& config, const std::function<void(int)>& end_now,
              const server::node_hooks& hooks);

}  // namespace neap::cli
