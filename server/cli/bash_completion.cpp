#include "server/cli/completion_tree.hpp"

namespace neap::cli {
namespace {

// Words before the cursor decide the command; `=` is a word of its own in bash.
constexpr const char* head = R"(# bash completion of neap: source <(neap completion bash)
_neap() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev= path=neap i
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${COMP_WORDS[i]}" in
)";

constexpr const char* middle = R"(    esac
  done
  local commands= options= with_value= with_file= words=
  case $path in
)";

constexpr const char* tail = R"(  esac
  COMPREPLY=()
  if [[ " $with_file " == *" $prev "* || ($words && $cur != -* && " $with_value " != *" $prev "*) ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ " $with_value " == *" $prev "* ]]; then
    return
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  fi
}
complete -F _neap neap
)";

std::string describe(const completion_command& command) {
  std::string names;
  for (const auto& inner : command.commands) names += (names.empty() ? "" : " ") + inner.name;
  std::string out = "    '" + command.path + "')\n";
  out += "      commands='" + names + "'\n";
  out += "      options='" + option_names(command, [](auto&) { return true; }) + "'\n";
  out += "      with_value='" + option_names(command, [](auto& o) { return o.takes_value; }) + "'\n";
  out += "      with_file='" + option_names(command, [](auto& o) { return o.takes_file; }) + "'\n";
  if (command.takes_words) out += "      words=yes\n";
  return out + "      ;;\n";
}

}  // namespace

std::string bash_completion(const completion_command& root) {
  std::string out = head;
  const auto all = flatten(root);
  for (const auto* command : all) {
    if (command != &root) out += "      '" + command->path + "') path='" + command->path + "' ;;\n";
  }
  out += middle;
  for (const auto* command : all) out += describe(*command);
  return out + tail;
}

}  // namespace neap::cli
