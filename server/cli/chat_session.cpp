#include "server/cli/chat_session.hpp"

#include "messages/quote.hpp"
#include "server/chat/chat_input.hpp"
#include "server/chat/nearest_word.hpp"
#include "server/cli/line_editor.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace neap::cli {
namespace {

class session {
 public:
  session(chat::chat_state state, chat::chat_backend& backend, interrupts& signals, session_options options)
      : state_(std::move(state)),
        backend_(backend),
        signals_(signals),
        options_(options),
        editor_(history_path(), signals.asked(), signals.continued()) {}

  int run() {
    if (const auto note = editor_.note(); !note.empty()) std::fprintf(stderr, "neap: note: %s\n", note.c_str());
    std::printf("%s. /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves.\n",
                backend_.model().c_str());
    while (!leaving_ && !signals_.terminated()) {
      if (auto input = read()) handle(*input);
    }
    return signals_.terminated() ? 128 + signals_.last_signal() : 0;
  }

  void help(const std::string&);
  void set(const std::string& argument);
  void show(const std::string&);
  void system(const std::string& argument);
  void clear(const std::string&);
  void timings(const std::string& argument);
  void retry(const std::string&);
  void leave(const std::string&) { leaving_ = true; }

 private:
  std::optional<std::string> read();
  void handle(const std::string& input);
  void complain(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }
  void answer() {
    show_answer(state_, backend_, signals_, options_.timings);
    // The signal that stopped an answer is not the first of two that leave.
    signals_.clear();
  }

  chat::chat_state state_;
  chat::chat_backend& backend_;
  interrupts& signals_;
  session_options options_;
  line_editor editor_;
  bool interrupted_ = false;  // Ctrl-C came at this prompt
  bool leaving_ = false;
};

struct command {
  const char* name;
  const char* argument;
  const char* help;
  void (session::*run)(const std::string&);
};

constexpr std::array commands{
    command{"help", "", "this list", &session::help},
    command{"set", "OPTION VALUE", "a sampling option for the answers to come; `default` takes it back",
            &session::set},
    command{"show", "", "model, system prompt and options", &session::show},
    command{"system", "TEXT", "system prompt from the next answer on; without a text there is none",
            &session::system},
    command{"clear", "", "forget the conversation; system prompt and options stay", &session::clear},
    command{"timings", "on|off", "figures after each answer", &session::timings},
    command{"retry", "", "another answer to the last question", &session::retry},
    command{"exit", "", "leave (also /quit, Ctrl-D, Ctrl-C twice)", &session::leave},
    command{"quit", "", "leave", &session::leave},
};

// One whole input, or nothing if it was interrupted or is the end.
std::optional<std::string> session::read() {
  chat::input_assembler lines;
  std::string line;
  while (true) {
    signals_.clear();
    const auto outcome = editor_.read(lines.open() ? "... " : ">>> ", line);
    if (outcome == line_editor::outcome::end) {
      std::puts("");
      leaving_ = true;
      return std::nullopt;
    }
    if (outcome == line_editor::outcome::interrupted) {
      std::puts(interrupted_ || signals_.terminated() ? "" : "\n(Ctrl-C again, Ctrl-D or /exit leaves)");
      leaving_ = std::exchange(interrupted_, true);
      return std::nullopt;
    }
    interrupted_ = false;
    if (!line.empty()) editor_.remember(line);
    if (auto input = lines.feed(line)) return input;
  }
}

void session::handle(const std::string& input) {
  const auto text = chat::trim(input);
  if (text.empty()) return;
  const auto parsed = chat::parse_command(text);
  if (!parsed) {
    state_.talk.ask(std::string(text));
    return answer();
  }
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (parsed->name == command.name) return (this->*command.run)(parsed->argument);
    names.push_back(std::string("/") + command.name);
  }
  complain(quote("/" + parsed->name) + " is not known" + chat::suggestion("/" + parsed->name, names) +
           "; /help lists the commands");
}

void session::help(const std::string&) {
  for (const auto& command : commands)
    std::printf("  /%-8s %-13s %s\n", command.name, command.argument, command.help);
  std::puts("\n  Text between \"\"\" and \"\"\" may have many lines; so may one whose lines end with \\.\n");
  std::puts("  Options for /set:");
  for (const auto& setting : chat::all_settings()) {
    std::printf("  %-19s %s\n", std::string(setting.name).c_str(), std::string(setting.help).c_str());
  }
}

void session::set(const std::string& argument) {
  const auto [name, value] = chat::split_word(argument);
  if (value.empty()) return complain("/set takes an option and a value, like /set temperature 0.7");
  if (auto done = state_.settings.set(name, value); !done) return complain(done.error().message);
  std::printf("%s is %s\n", name.c_str(), value.c_str());
}

void session::show(const std::string&) {
  std::printf("  model %s\n", backend_.model().c_str());
  if (backend_.context_length() > 0) std::printf("  context %u tokens\n", backend_.context_length());
  std::printf("  turns %zu\n", state_.talk.turns());
  std::printf("  system %s\n", state_.talk.system().empty() ? "(none)" : state_.talk.system().c_str());
  std::printf("  timings %s\n", options_.timings ? "on" : "off");
  std::fputs(state_.settings.describe().c_str(), stdout);
}

void session::system(const std::string& argument) {
  state_.talk.set_system(argument);
  std::puts(argument.empty() ? "there is no system prompt now" : "system prompt set");
}

void session::clear(const std::string&) {
  state_.talk.clear();
  std::puts("the conversation is forgotten");
}

void session::timings(const std::string& argument) {
  if (argument != "on" && argument != "off") return complain("/timings takes on or off");
  options_.timings = argument == "on";
  std::printf("timings %s\n", argument.c_str());
}

void session::retry(const std::string&) {
  if (!state_.talk.reopen()) return complain("there is no question to ask again");
  answer();
}

}  // namespace

int run_session(chat::chat_state state, chat::chat_backend& backend, interrupts& signals,
                session_options options) {
  return session(std::move(state), backend, signals, options).run();
}

}  // namespace neap::cli
