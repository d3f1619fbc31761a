#include "server/cli/completion_tree.hpp"

#include <algorithm>

namespace neap::cli {
namespace {

// True in the command itself, not in one below it.
std::string condition(const completion_command& command) {
  std::string inner;
  for (const auto& below : command.commands) inner += " " + below.name;
  std::string out;
  const auto words = command.path.substr(command.path.find(' ') + 1);
  if (command.path.find(' ') != std::string::npos) {
    for (std::size_t at = 0; at < words.size();) {
      const auto end = std::min(words.find(' ', at), words.size());
      out += (out.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + words.substr(at, end - at));
      at = end + 1;
    }
  }
  if (!inner.empty()) out += (out.empty() ? "not" : "; and not") + (" __fish_seen_subcommand_from" + inner);
  return out;
}

void describe(const completion_command& command, std::string& out) {
  const auto when = condition(command);
  const std::string begin = "complete -c neap" + (when.empty() ? "" : " -n '" + when + "'");
  for (const auto& inner : command.commands)
    out += begin + " -a " + inner.name + " -d '" + inner.help + "'\n";
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      out += begin + " -l " + name.substr(2) + " -d '" + option.help + "'";
      out += option.takes_file ? " -r -F\n" : option.takes_value ? " -x\n" : "\n";
    }
  }
  if (command.takes_words) out += begin + " -F\n";
}

}  // namespace

std::string fish_completion(const completion_command& root) {
  std::string out = "# fish completion of neap: neap completion fish | source\ncomplete -c neap -f\n";
  for (const auto* command : flatten(root)) describe(*command, out);
  return out;
}

}  // namespace neap::cli
