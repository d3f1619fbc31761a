#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace neap::cli {

// Adds `neap run`: one question, or a conversation in the terminal. Its exit status goes to `status`;
// `end_now` ends the process while the model loads.
void add_run_command(CLI::App& app, const std::function<void(int)>& end_now, int& status);

}  // namespace neap::cli
