#pragma once

namespace CLI {
class App;
}

namespace neap::cli {

// Adds `neap completion bash|zsh|fish`, which prints a script made from all commands of `app`.
void add_completion_command(CLI::App& app, int& status);

}  // namespace neap::cli
