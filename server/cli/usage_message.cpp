#include "server/cli/usage_message.hpp"

#include "messages/quote.hpp"
#include "server/chat/nearest_word.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace neap::cli {
namespace {

std::vector<std::string> names_of(const CLI::App& command, bool options) {
  std::vector<std::string> out;
  if (options) {
    for (const auto* option : command.get_options()) {
      for (const auto& name : option->get_lnames()) out.push_back("--" + name);
    }
  } else {
    for (const auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
      out.push_back(inner->get_name());
    }
  }
  return out;
}

const CLI::App* find(const CLI::App& command, const std::string& name) {
  for (const auto* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (inner->get_name() == name) return inner;
  }
  return nullptr;
}

std::string hint(const CLI::App& command, const std::string& word) {
  return chat::suggestion(word, names_of(command, word.starts_with('-')));
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& fault,
                          const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string path = app.get_name();
  std::size_t at = 0;
  for (; at < words.size() && words[at].size() < 64; ++at) {
    const auto* inner = find(*command, words[at]);
    if (inner == nullptr) break;
    command = inner;
    path += " " + inner->get_name();
  }
  const std::string help = "; see " + path + " --help";
  const auto inner = names_of(*command, false);
  if (!inner.empty()) {
    if (at == words.size()) return "a command is missing" + help;
    const auto word = words[at].substr(0, 64);
    return quote(word) + " is not known" + hint(*command, word) + help;
  }
  const auto options = names_of(*command, true);
  for (; at < words.size(); ++at) {
    const auto name = words[at].substr(0, std::min<std::size_t>(64, words[at].find('=')));
    if (!name.starts_with("--") || std::find(options.begin(), options.end(), name) != options.end()) continue;
    return quote(name) + " is not known" + hint(*command, name) + help;
  }
  std::string text = fault.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, 300) + help;
}

}  // namespace neap::cli
