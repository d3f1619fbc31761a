#pragma once
// What can be told about a configuration on this machine without loading a model.

#include "messages/proto/config.pb.h"
#include "messages/result.hpp"

namespace neap::cli {

// Whether `neap serve` would take the configuration: the files it names are there (relative paths from the
// working directory), and an open address comes with `insecure`. No model path is in order: it may be given
// on the command line.
result<void> check_startable(const config::Config& config);

// The part of it that does not concern the network: all that `neap run` needs.
result<void> check_model(const config::Config& config);

}  // namespace neap::cli
