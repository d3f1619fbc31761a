#pragma once

namespace CLI {
class App;
}

namespace neap::cli {

// `neap inspect`: what the actors and live requests of a running server are doing.
void add_inspect_command(CLI::App& app, int& status);

}  // namespace neap::cli
