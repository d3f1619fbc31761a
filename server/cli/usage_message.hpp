#pragma once
// Malformed command lines, in one line.

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace neap::cli {

// What is wrong, what was probably meant, and where help is. `words` are the command line's, without the
// program.
std::string usage_message(const CLI::App& app, const CLI::ParseError& fault,
                          const std::vector<std::string>& words);

}  // namespace neap::cli
