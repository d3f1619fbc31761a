#include "server/cli/command_line.hpp"

#include "config/config_file.hpp"
#include "server/cli/bench_command.hpp"
#include "server/cli/completion_command.hpp"
#include "server/cli/doctor.hpp"
#include "server/cli/inspect_command.hpp"
#include "server/cli/report.hpp"
#include "server/cli/run_command.hpp"
#include "server/cli/serve.hpp"
#include "server/cli/serve_flags.hpp"
#include "server/cli/startable.hpp"
#include "server/cli/usage_message.hpp"

#include <CLI/CLI.hpp>

namespace neap::cli {
namespace {

constexpr const char* overview = R"(
Examples:
  neap serve models/SmolLM2-135M-Instruct.Q4_1.gguf     serve a model on 127.0.0.1:8000
  neap run models/SmolLM2-135M-Instruct.Q4_1.gguf       talk with a model in this terminal
  neap run "Why is the sky blue?"                       ask the default model one question
  neap bench --streams 32                               load a running server and measure it
  neap inspect --watch                                  what a running server is doing
  neap config check my.textproto                        check a configuration file
  neap doctor                                           what this machine offers
  source <(neap completion bash)                        completion of commands and options
  neap COMMAND --help                                   all options of a command
)";

void add_serve(CLI::App& app, const std::function<void(int)>& end_now, const server::node_hooks& hooks,
               int& status) {
  auto* command = app.add_subcommand("serve", "serve a model with the OpenAI API");
  const auto arguments = std::make_shared<serve_arguments>();
  add_serve_flags(*command, *arguments);
  command->callback([arguments, &end_now, &hooks, &status] {
    const auto config = make_config(*arguments);
    if (!config) {
      status = report(config.error());
      return;
    }
    const auto startable = check_startable(*config);
    status = startable ? run_serve(*config, end_now, hooks) : report(startable.error());
  });
}

void add_config(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("config", "work with configuration files");
  command->require_subcommand(1);
  auto* check = command->add_subcommand("check", "check a configuration file");
  const auto file = std::make_shared<std::string>();
  check->add_option("FILE", *file, "file in the form of config/example.textproto")->required();
  check->footer("\nExamples:\n  neap config check config/example.textproto\n");
  command->footer("\nExamples:\n  neap config check config/example.textproto\n");
  check->callback([file, &status] {
    const auto config = config::load_config(*file);
    if (!config) {
      status = report(config.error());
      return;
    }
    if (const auto ready = check_startable(*config); !ready) {
      status = report({ready.error().code, *file + ": " + ready.error().message, {}});
      return;
    }
    std::printf("%s: in order\n", file->c_str());
  });
}

void add_doctor(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("doctor", "show what this machine offers and what limits it");
  command->footer("\nExamples:\n  neap doctor\n");
  command->callback([&status] { status = run_doctor(); });
}

}  // namespace

int run_command_line(int argc, char** argv, const std::function<void(int)>& end_now,
                     const server::node_hooks& hooks) {
  CLI::App app("Neap: flat-latency LLM serving", "neap");
  app.set_version_flag("--version", std::string("neap ") + NEAP_VERSION);
  app.require_subcommand(1);
  app.footer(overview);
  int status = 0;
  add_serve(app, end_now, hooks, status);
  add_run_command(app, end_now, status);
  add_bench_command(app, status);
  add_inspect_command(app, status);
  add_config(app, status);
  add_doctor(app, status);
  add_completion_command(app, status);
  if (argc < 2) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& fault) {
    return report({error_code::invalid_request, usage_message(app, fault, {argv + 1, argv + argc}), {}});
  }
  return status;
}

}  // namespace neap::cli
