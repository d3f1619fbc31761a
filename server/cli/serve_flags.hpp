#pragma once
// Flags of `neap serve`: each sets one field of the configuration.

#include "messages/proto/config.pb.h"
#include "messages/result.hpp"

#include <map>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace neap::cli {

struct serve_flag {
  std::string_view flag;  // "--port"
  std::string_view path;  // "http.port"
  std::string_view unit;  // shown in help: "N", "FILE", ...; empty for a switch
  std::string_view help;
  bool seconds = false;  // given in seconds, kept in milliseconds
};

// What the command line gave.
struct serve_arguments {
  std::string model_path;                    // empty: from the file
  std::string config_path;                   // empty: defaults
  std::map<std::string, std::string> given;  // flag -> text
};

// Adds all flags, their help and the examples to the command. `out` must outlive the parse.
void add_serve_flags(CLI::App& command, serve_arguments& out);

// Adds --config and the flags of the sections `model` and `memory`: what a command needs that loads a model.
void add_model_flags(CLI::App& command, serve_arguments& out);

// File, then flags, then rules. Errors name the file and line, or the flag.
result<config::Config> make_config(const serve_arguments& arguments);

}  // namespace neap::cli
