#pragma once
// The words of `neap run` -> which model, and which question.

#include "messages/result.hpp"

#include <string>
#include <vector>

namespace neap::cli {

struct run_words {
  std::string model;   // empty: the default
  std::string prompt;  // empty: none
};

// The first word names a model if it is a file or ends with .gguf; with `remote` all words are the question.
run_words split_words(const std::vector<std::string>& words, bool remote);

// The default: $MODEL, as in scripts/serve, or models/SmolLM2-135M-Instruct.Q4_1.gguf in this folder or in
// that of the build. Error where there is none.
result<std::string> default_model();

}  // namespace neap::cli
