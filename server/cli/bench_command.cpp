#include "server/cli/bench_command.hpp"

#include "bench/bench_report.hpp"
#include "bench/load_generator.hpp"
#include "messages/quote.hpp"
#include "server/cli/progress.hpp"
#include "server/cli/report.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <memory>
#include <optional>

namespace neap::cli {
namespace {

struct bench_arguments {
  bench::bench_options options;
  std::string json_path;
};

constexpr const char* examples = R"(
Examples:
  neap bench --streams 32 --requests 128
  neap bench --rate 4 --requests 100 --max-tokens 64 --json run.json
  neap bench --url http://127.0.0.1:9000 --model my-model
)";

// 1 if the results could not be written or a request failed.
int finish(const bench_arguments& arguments, const bench::bench_summary& summary) {
  std::fputs(bench::format_table(arguments.options, summary).c_str(), stdout);
  if (!arguments.json_path.empty()) {
    std::ofstream out(arguments.json_path);
    out << bench::format_json(arguments.options, summary) << '\n';
    out.close();
    if (!out)
      return report({error_code::invalid_request, quote(arguments.json_path) + " cannot be written", {}});
  }
  return summary.failures == 0 ? 0 : 1;
}

// A path that cannot be written shows before the run, not after it. Keeps what is in the file.
bool can_write(const std::string& path) {
  return path.empty() || std::ofstream(path, std::ios::app).is_open();
}

int run(const bench_arguments& arguments) {
  if (!can_write(arguments.json_path)) {
    return report(
        {error_code::invalid_request, "--json: " + quote(arguments.json_path) + " cannot be written", {}});
  }
  std::optional<progress> bar;
  if (!arguments.options.quiet) bar.emplace();
  const auto summary = bench::run_bench(arguments.options, [&bar](std::size_t done, std::size_t total) {
    if (bar) bar->show("requests", static_cast<double>(done) / static_cast<double>(total));
  });
  bar.reset();
  return summary ? finish(arguments, *summary) : report(summary.error());
}

}  // namespace

void add_bench_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("bench", "load an OpenAI-compatible server and measure it");
  const auto arguments = std::make_shared<bench_arguments>();
  auto& options = arguments->options;
  command->add_option("--url", options.url, "server address")->capture_default_str();
  command->add_option("--model", options.model, "model name")->capture_default_str();
  command->add_option("--api-key", options.api_key, "sent as a bearer token");
  auto* streams = command->add_option("--streams", options.streams, "closed loop: requests in flight")
                      ->capture_default_str();
  streams->check(CLI::Range(1, 10'000));
  command->add_option("--rate", options.rate, "open loop: mean arrivals a second (Poisson)")
      ->check(CLI::PositiveNumber)
      ->excludes(streams);
  command->add_option("--requests", options.requests, "requests to measure")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  command->add_option("--warmup", options.warmup, "requests before")
      ->capture_default_str()
      ->check(CLI::Range(0, 10'000));
  command->add_option("--prompt-tokens", options.prompt_tokens, "about so many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--max-tokens", options.max_tokens, "tokens of every answer")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seed", options.seed, "of prompts and arrivals")->capture_default_str();
  command->add_option("--timeout", options.timeout_seconds, "seconds for one request")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--json", arguments->json_path, "write the figures to a file")->type_name("FILE");
  command->add_flag("--quiet", options.quiet, "no progress bar");
  command->footer(examples);
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace neap::cli
