#pragma once
// The reference logits and losses in tests/reference (its README says how they were made).

#include "messages/ids.hpp"

#include <string>
#include <utility>
#include <vector>

namespace neap::test {

struct reference_prompt {
  std::vector<token_id> prompt;
  std::vector<std::pair<token_id, float>> top;  // highest logits after the prompt
  std::vector<token_id> greedy;                 // continuation
  std::vector<float> margin;                    // first minus second logit at each greedy step
};

struct reference_loss {
  std::vector<token_id> ids;
  double mean = 0;  // of the losses of ids[1..]
};

struct reference_data {
  std::vector<reference_prompt> prompts;  // completions, then chats
  std::vector<reference_prompt> long_prompts;
  reference_loss loss;
  reference_loss long_loss;
};

// `model` is "smollm2" or "gemma3".
reference_data load_reference(const std::string& model);

// Path of the model's GGUF file.
std::string model_path(const std::string& model);

}  // namespace neap::test
