#pragma once
// Commands and options as completion scripts need them, read from the command line's own definition.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace neap::cli {

struct completion_option {
  std::vector<std::string> names;  // "--config"
  std::string help;
  bool takes_value = false;
  bool takes_file = false;
};

struct completion_command {
  std::string path;  // "neap config check"
  std::string name;  // "check"
  std::string help;
  bool takes_words = false;  // arguments other than options: files are offered
  std::vector<completion_option> options;
  std::vector<completion_command> commands;
};

completion_command make_completion_tree(const CLI::App& app, const std::string& parent_path = "");

// The command and all below it, outermost first.
std::vector<const completion_command*> flatten(const completion_command& root);

// All long names of the options, with a blank between them; `which` picks some.
std::string option_names(const completion_command& command, bool (*which)(const completion_option&));

// Scripts for the shells.
std::string bash_completion(const completion_command& root);
std::string zsh_completion(const completion_command& root);
std::string fish_completion(const completion_command& root);

}  // namespace neap::cli
