#pragma once

#include "server/node.hpp"

#include <functional>

namespace neap::cli {

// Parses and runs one command; returns the exit status: 0, or 1 for errors, a malformed command line
// included (one line on stderr). `end_now` ends the process at once, for a second signal. `hooks` are
// for binaries of tests that inject faults into a server.
int run_command_line(int argc, char** argv, const std::function<void(int)>& end_now,
                     const server::node_hooks& hooks = {});

}  // namespace neap::cli
