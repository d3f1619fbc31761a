#pragma once

#include "messages/proto/config.pb.h"

#include <functional>

namespace neap::cli {

// Serves until SIGINT or SIGTERM, then drains. Returns the exit status. `end_now` ends the process at once.
int run_serve(const config::Config& config, const std::function<void(int)>& end_now);

}  // namespace neap::cli
