#include "server/cli/completion_tree.hpp"

#include <CLI/CLI.hpp>

namespace neap::cli {
namespace {

// The first line, without what shells would take for more than text.
std::string plain(const std::string& help) {
  std::string out;
  for (const char c : help.substr(0, help.find('\n'))) {
    if (c != '\'' && c != '"' && c != '`' && c != '\\' && c != '[' && c != ']') out += c == ':' ? ',' : c;
  }
  return out;
}

completion_option to_option(const CLI::Option& option) {
  completion_option out;
  for (const auto& name : option.get_lnames()) out.names.push_back("--" + name);
  out.help = plain(option.get_description());
  out.takes_value = option.get_items_expected_max() > 0;
  out.takes_file = option.get_type_name().find("FILE") != std::string::npos || option.check_lname("model");
  return out;
}

}  // namespace

completion_command make_completion_tree(const CLI::App& app, const std::string& parent_path) {
  completion_command out;
  out.name = app.get_name();
  out.path = parent_path.empty() ? out.name : parent_path + " " + out.name;
  out.help = plain(app.get_description());
  for (const auto* option : app.get_options()) {
    if (option->get_positional() && option->get_lnames().empty()) {
      out.takes_words = true;
    } else {
      out.options.push_back(to_option(*option));
    }
  }
  for (const auto* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(make_completion_tree(*inner, out.path));
  return out;
}

std::vector<const completion_command*> flatten(const completion_command& root) {
  std::vector<const completion_command*> out{&root};
  for (const auto& inner : root.commands) {
    const auto below = flatten(inner);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

std::string option_names(const completion_command& command, bool (*which)(const completion_option&)) {
  std::string out;
  for (const auto& option : command.options) {
    if (!which(option)) continue;
    for (const auto& name : option.names) out += (out.empty() ? "" : " ") + name;
  }
  return out;
}

}  // namespace neap::cli
