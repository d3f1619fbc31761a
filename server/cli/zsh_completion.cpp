#include "server/cli/completion_tree.hpp"

namespace neap::cli {
namespace {

constexpr const char* head = R"(#compdef neap
# zsh completion of neap: source <(neap completion zsh), or as _neap in a folder of $fpath
_neap() {
  local cur=${words[CURRENT]} prev=${words[CURRENT-1]} command_path=neap i
  for ((i = 2; i < CURRENT; i++)); do
    case "$command_path ${words[i]}" in
)";

constexpr const char* middle = R"(    esac
  done
  local -a commands options with_value with_file
  local takes_words=
  case $command_path in
)";

constexpr const char* tail = R"(  esac
  if (( ${with_file[(Ie)$prev]} )); then
    _files
  elif (( ${with_value[(Ie)$prev]} )); then
    return 0
  elif [[ $cur == -* ]]; then
    _describe -o option options
  elif [[ -n $takes_words ]]; then
    _files
  else
    _describe command commands
  fi
}
if [[ ${funcstack[1]} == _neap ]]; then
  _neap "$@"
else
  compdef _neap neap
fi
)";

std::string describe(const completion_command& command) {
  std::string out = "    ('" + command.path + "')\n      commands=(";
  for (const auto& inner : command.commands) out += "'" + inner.name + ":" + inner.help + "' ";
  out += ")\n      options=(";
  for (const auto& option : command.options) {
    for (const auto& name : option.names) out += "'" + name + ":" + option.help + "' ";
  }
  out += ")\n      with_value=(" + option_names(command, [](auto& o) { return o.takes_value; });
  out += ")\n      with_file=(" + option_names(command, [](auto& o) { return o.takes_file; }) + ")\n";
  if (command.takes_words) out += "      takes_words=yes\n";
  return out + "      ;;\n";
}

}  // namespace

std::string zsh_completion(const completion_command& root) {
  std::string out = head;
  const auto all = flatten(root);
  for (const auto* command : all) {
    if (command != &root) out += "      ('" + command->path + "') command_path='" + command->path + "' ;;\n";
  }
  out += middle;
  for (const auto* command : all) out += describe(*command);
  return out + tail;
}

}  // namespace neap::cli
