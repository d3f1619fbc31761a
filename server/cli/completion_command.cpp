#include "server/cli/completion_command.hpp"

#include "server/cli/completion_tree.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>

namespace neap::cli {
namespace {

struct shell {
  const char* name;
  std::string (*script)(const completion_command&);
  const char* examples;
};

constexpr std::array shells{
    shell{"bash", bash_completion,
          "\nExamples:\n  source <(neap completion bash)\n"
          "  neap completion bash > ~/.local/share/bash-completion/completions/neap\n"},
    shell{"zsh", zsh_completion,
          "\nExamples:\n  source <(neap completion zsh)\n  neap completion zsh > ~/.zfunc/_neap\n"},
    shell{"fish", fish_completion,
          "\nExamples:\n  neap completion fish | source\n"
          "  neap completion fish > ~/.config/fish/completions/neap.fish\n"},
};

}  // namespace

void add_completion_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("completion", "print a completion script for a shell");
  command->require_subcommand(1);
  command->footer(
      "\nExamples:\n  source <(neap completion bash)\n  source <(neap completion zsh)\n"
      "  neap completion fish | source\n");
  for (const auto& shell : shells) {
    auto* inner = command->add_subcommand(shell.name, std::string("script for ") + shell.name);
    inner->footer(shell.examples);
    inner->callback([&app, &status, script = shell.script] {
      const bool written = std::fputs(script(make_completion_tree(app)).c_str(), stdout) >= 0;
      status = written && std::fflush(stdout) == 0 ? 0 : 1;
    });
  }
}

}  // namespace neap::cli
