#pragma once
// Log-probabilities of the model's own distribution: the log-softmax of the logits before bias, penalties,
// temperature and filters, so that they do not depend on how the token was chosen.

#include "messages/ids.hpp"

#include <vector>

namespace neap {

struct token_logprob {
  token_id token = 0;
  float logprob = 0;
};

// A token of a sequence and the most likely ones at its place, best first.
struct token_logprobs {
  token_logprob chosen;
  std::vector<token_logprob> top;
};

}  // namespace neap
