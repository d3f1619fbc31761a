// The `neap` command. The only place that ends the process.

#include "server/cli/command_line.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  return neap::cli::run_command_line(argc, argv, [](int status) { std::_Exit(status); });
}
