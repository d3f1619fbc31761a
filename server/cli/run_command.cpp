#include "server/cli/run_command.hpp"

#include "messages/quote.hpp"
#include "server/chat/local_backend.hpp"
#include "server/chat/remote_backend.hpp"
#include "server/cli/chat_session.hpp"
#include "server/cli/interrupts.hpp"
#include "server/cli/model_choice.hpp"
#include "server/cli/node_settings.hpp"
#include "server/cli/progress.hpp"
#include "server/cli/report.hpp"
#include "server/cli/serve_flags.hpp"
#include "server/cli/startable.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

namespace neap::cli {
namespace {

struct run_arguments {
  std::vector<std::string> words;
  std::string model;
  std::string system;
  bool timings = false;
  chat::remote_options remote;
  std::map<std::string, std::string> settings;  // option of the conversation -> text
  serve_arguments node;
};

constexpr const char* examples = R"(
Examples:
  neap run models/SmolLM2-135M-Instruct.Q4_1.gguf       talk; /help lists the commands
  neap run model.gguf "Why is the sky blue?"            one answer on stdout
  neap run --temperature 0 --timings "Count to ten."    the default model
  git diff | neap run model.gguf "Describe this change:" -
  neap run --url http://127.0.0.1:8000 --system "Answer in one line."
)";

// What a conversation is held with; the node outlives the backend.
struct connection {
  std::unique_ptr<server::node> node;
  std::unique_ptr<chat::chat_backend> backend;
};

constexpr std::size_t stdin_limit = 8 * 1024 * 1024;  // as servers take

result<std::string> read_all_of_stdin() {
  std::string out;
  std::array<char, 64 * 1024> bytes{};
  while (std::cin.read(bytes.data(), bytes.size()), std::cin.gcount() > 0) {
    out.append(bytes.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (out.size() > stdin_limit)
      return error{error_code::invalid_request, "standard input has more than 8 MiB; no model takes so much", {}};
  }
  return out;
}

std::string from_environment() {
  for (const char* name : {"NEAP_API_KEY", "OPENAI_API_KEY"}) {
    const char* key = std::getenv(name);
    if (key != nullptr && *key != '\0') return key;
  }
  return "";
}

result<connection> open_remote(const run_arguments& arguments) {
  auto options = arguments.remote;
  options.model = arguments.model;
  if (options.api_key.empty()) options.api_key = from_environment();
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(options.api_key.begin(), options.api_key.end(), control))
    return error{error_code::invalid_request, "the API key holds a control character", {}};
  auto backend = chat::make_remote_backend(options);
  if (!backend) return backend.error();
  return connection{nullptr, std::move(*backend)};
}

result<connection> open_local(const run_arguments& arguments) {
  auto config = make_config(arguments.node);
  if (!config) return config.error();
  if (auto startable = check_model(*config); !startable) return startable.error();
  auto options = server::make_node_options(*config);
  options.max_num_seqs = 1;
  options.batch_window = std::chrono::milliseconds{0};  // there is no company to wait for
  std::optional<progress> bar;
  if (::isatty(STDERR_FILENO) == 1) bar.emplace();
  auto node = server::start_node(options, [&bar](const server::load_progress& step) {
    if (bar) bar->show("loading: " + step.stage, step.share);
  });
  if (!node) return node.error();
  auto backend = chat::make_local_backend((*node)->gateway());
  return connection{std::move(*node), std::move(backend)};
}

result<void> choose_model(run_arguments& arguments, const run_words& words) {
  auto& path = arguments.node.model_path;
  path = arguments.model.empty() ? words.model : arguments.model;
  if (!path.empty() || !arguments.node.config_path.empty()) return {};
  auto usual = default_model();
  if (!usual) return usual.error();
  path = *usual;
  return {};
}

// "-" as the last word stands for standard input; without a question all of a pipe is the question.
result<std::string> find_question(std::string prompt, bool interactive) {
  const bool all = prompt == "-" || (prompt.empty() && !interactive);
  if (all || prompt.ends_with(" -")) {
    auto input = read_all_of_stdin();
    if (!input) return input.error();
    prompt = all ? std::move(*input) : prompt.substr(0, prompt.size() - 2) + "\n\n" + *input;
    if (prompt.find_first_not_of(" \t\r\n") == std::string::npos)
      return error{error_code::invalid_request, "there is no question: standard input is empty", {}};
  }
  while (prompt.ends_with('\n') || prompt.ends_with('\r')) prompt.pop_back();
  return prompt;
}

result<void> apply_settings(const run_arguments& arguments, chat::chat_settings& settings) {
  for (const auto& [name, text] : arguments.settings) {
    if (auto set = settings.set(name, text); !set) return set.error();
  }
  return {};
}

// Logs of the engine would mix with the answer.
void quiet_log() {
  auto logger = spdlog::stderr_color_mt("neap");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

int run(run_arguments arguments, const std::function<void(int)>& end_now) {
  interrupts signals(end_now);
  quiet_log();
  const bool remote = !arguments.remote.url.empty();
  const auto words = split_words(arguments.words, remote);
  const bool interactive = words.prompt.empty() && ::isatty(STDIN_FILENO) == 1;
  chat::chat_state state;
  state.talk.set_system(arguments.system);
  if (auto applied = apply_settings(arguments, state.settings); !applied) return report(applied.error());
  if (!remote) {
    if (auto chosen = choose_model(arguments, words); !chosen) return report(chosen.error());
  }
  const auto question = find_question(words.prompt, interactive);
  if (!question) return report(question.error());
  auto opened = remote ? open_remote(arguments) : open_local(arguments);
  if (!opened) return report(opened.error());
  signals.ready();
  if (interactive) return run_session(std::move(state), *opened->backend, signals, {arguments.timings});
  state.talk.ask(*question);
  return show_answer(state, *opened->backend, signals, arguments.timings);
}

// "top_p" -> "--top-p"
std::string flag_of(std::string_view setting) {
  std::string out = "--" + std::string(setting);
  std::replace(out.begin() + 2, out.end(), '_', '-');
  return out;
}

// CLI11's own texts do not say what is wanted. Empty: all is well.
std::string check_seconds(const std::string& text) {
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  if (whole && seconds >= 0.001 && seconds <= 86'400) return "";
  return quote(text) + " is not a number of seconds from 0.001 to 86400";
}

void add_settings(CLI::App& command, run_arguments& out) {
  for (const auto& setting : chat::all_settings()) {
    const std::string name(setting.name);
    const auto store = [&out, name](const std::string& text) { out.settings[name] = text; };
    command.add_option_function<std::string>(flag_of(name), store, std::string(setting.help))
        ->type_name(std::string(setting.unit))
        ->group("Answers");
  }
}

}  // namespace

void add_run_command(CLI::App& app, const std::function<void(int)>& end_now, int& status) {
  auto* command = app.add_subcommand("run", "ask a model, or talk with it, in this terminal");
  const auto arguments = std::make_shared<run_arguments>();
  command
      ->add_option("MODEL_AND_PROMPT", arguments->words,
                   "GGUF file (default: $MODEL, or SmolLM2 in models/), then a question; `-` at its end adds "
                   "standard input; none: talk, or read the question from a pipe")
      ->type_name("");
  command->add_option("--model", arguments->model, "GGUF file, or with --url the model's name there");
  command->add_option("--system", arguments->system, "system prompt")->type_name("TEXT");
  command->add_flag("--timings,--verbose", arguments->timings, "tokens and times of each answer on stderr");
  command->add_option("--url", arguments->remote.url, "ask this OpenAI-compatible server instead")
      ->type_name("URL");
  command->add_option("--api-key", arguments->remote.api_key,
                      "for the server [$NEAP_API_KEY, else $OPENAI_API_KEY]");
  command->add_option("--timeout", arguments->remote.timeout_seconds, "seconds for one answer of a server")
      ->capture_default_str()
      ->check(CLI::Validator(check_seconds, ""));
  add_settings(*command, *arguments);
  add_model_flags(*command, arguments->node);
  command->footer(examples);
  command->callback([arguments, &end_now, &status] { status = run(*arguments, end_now); });
}

}  // namespace neap::cli
