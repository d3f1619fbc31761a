#pragma once

#include <functional>

namespace neap::cli {

// Parses and runs one command; returns the exit status: 0, 1 for errors (one line on stderr), or CLI11's own
// for a malformed command line. `end_now` ends the process at once, for a second signal.
int run_command_line(int argc, char** argv, const std::function<void(int)>& end_now);

}  // namespace neap::cli
