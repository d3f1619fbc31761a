#include "server/cli/inspect_command.hpp"

#include "bench/fetch.hpp"
#include "server/api/json_reader.hpp"
#include "server/cli/inspect_tables.hpp"
#include "server/cli/report.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

namespace neap::cli {
namespace {

struct inspect_arguments {
  std::string what = "all";
  std::string url = "http://127.0.0.1:8000";
  std::string api_key;
  bool json = false;
  double interval = 0;  // seconds; 0 = once
};

constexpr const char* examples = R"(
Examples:
  neap inspect                                   actors and live requests of http://127.0.0.1:8000
  neap inspect requests --watch                  the requests, again every second
  neap inspect actors --json | jq .data[].name
  NEAP_ADMIN_KEY=... neap inspect --url http://server:8000 --watch 5
)";

constexpr std::chrono::seconds answer_time{5};

std::string from_environment() {
  for (const char* name : {"NEAP_ADMIN_KEY", "NEAP_API_KEY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

// What a refusal says, in one line.
error refusal(const bench::fetched& answer) {
  const auto document = api::parse_json(answer.body);
  const auto* fault = document ? document->find("error") : nullptr;
  const auto* message = fault != nullptr ? fault->find("message") : nullptr;
  std::string text = message != nullptr && message->string() != nullptr ? *message->string() : "no Neap server?";
  if (answer.status == 404) text = "this server has no inspection routes";
  return {error_code::invalid_request, "the server answers " + std::to_string(answer.status) + ": " + text, ""};
}

// One part of the picture: its body as it came, or as a table.
result<std::string> look(const inspect_arguments& arguments, const bench::endpoint& server, const char* part,
                         std::string (*table)(const json_value&)) {
  const auto answer = bench::fetch(server, std::string("/neap/v1/") + part, arguments.api_key, answer_time);
  if (!answer) return answer.error();
  if (answer->status != 200) return refusal(*answer);
  if (arguments.json) return answer->body + "\n";
  const auto document = api::parse_json(answer->body);
  if (!document) return error{error_code::invalid_request, "the server's answer is no JSON", ""};
  return table(*document);
}

result<std::string> look_at_all(const inspect_arguments& arguments, const bench::endpoint& server) {
  std::string out;
  if (arguments.what != "requests") {
    auto actors = look(arguments, server, "actors", actors_table);
    if (!actors) return actors;
    out += *actors;
  }
  if (arguments.what == "all" && !arguments.json) out += "\n";
  if (arguments.what != "actors") {
    auto requests = look(arguments, server, "requests", requests_table);
    if (!requests) return requests;
    out += *requests;
  }
  return out;
}

int inspect(const inspect_arguments& arguments) {
  const auto server = bench::parse_url(arguments.url);
  if (!server) return report(server.error());
  const bool redraws = arguments.interval > 0 && !arguments.json && ::isatty(STDOUT_FILENO) == 1;
  while (true) {
    const auto picture = look_at_all(arguments, *server);
    if (!picture) return report(picture.error());
    if (redraws) std::fputs("\033[H\033[2J", stdout);
    if (std::fputs(picture->c_str(), stdout) < 0 || std::fflush(stdout) != 0) return 1;
    if (arguments.interval <= 0) return 0;
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.interval));
  }
}

}  // namespace

void add_inspect_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("inspect", "show what a running server's actors and requests are doing");
  const auto arguments = std::make_shared<inspect_arguments>();
  command->add_option("WHAT", arguments->what, "actors, requests or all")
      ->check(CLI::IsMember({"actors", "requests", "all"}))
      ->capture_default_str();
  command->add_option("--url", arguments->url, "the server")->capture_default_str();
  command->add_option("--api-key", arguments->api_key, "its admin key [$NEAP_ADMIN_KEY, else $NEAP_API_KEY]");
  command->add_flag("--json", arguments->json, "the server's answers as they are, one a line");
  command->add_option("--watch", arguments->interval, "again every SECONDS until Ctrl-C (1 if left out)")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::Range(0.1, 3600.0));
  command->footer(examples);
  command->callback([arguments, &status, command] {
    if (command->count("--watch") == 0) arguments->interval = 0;
    if (arguments->api_key.empty()) arguments->api_key = from_environment();
    status = inspect(*arguments);
  });
}

}  // namespace neap::cli
