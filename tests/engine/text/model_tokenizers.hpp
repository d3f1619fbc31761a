#pragma once
// The tokenizers of the two real models, and the reference ids in tests/reference.

#include "engine/text/tokenizer.hpp"

#include <string>
#include <utility>
#include <vector>

namespace neap::test {

// "smollm2" or "gemma3".
std::string model_path(const std::string& model);

// Loaded once a process; ends the test run with the loader's message if that fails.
const text::tokenizer& model_tokenizer(const std::string& model);

using reference_text = std::pair<std::string, std::vector<token_id>>;

// `key`: "plain" or "with_special".
std::vector<reference_text> reference_texts(const std::string& model, const std::string& key);

// Rendered chat prompts and their ids.
std::vector<reference_text> reference_chats(const std::string& model);

}  // namespace neap::test
