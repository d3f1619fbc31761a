#pragma once

#include <functional>

namespace neap::cli {

// Parses and runs one command; returns the exit status: 0, or 1 for errors, a malformed command line
// included (one line on stderr). `end_now` ends the process at once, for a second signal.
int run_command_line(int argc, char** argv, const std::function<void(int)>& end_now);

}  // namespace neap::cli
