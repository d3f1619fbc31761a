#pragma once

namespace CLI {
class App;
}

namespace neap::cli {

// Adds `neap bench`; its exit status goes to `status`.
void add_bench_command(CLI::App& app, int& status);

}  // namespace neap::cli
