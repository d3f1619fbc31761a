#pragma once

#include "messages/ids.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace neap {

// How the next token is chosen from the logits. Applied in this order: logit bias, repetition, presence and
// frequency penalties, temperature, top-k, top-p, min-p, draw. Values are validated at the edge.
struct sampling_params {
  float temperature = 1.0F;         // 0 = greedy
  float top_p = 1.0F;               // (0,1]; 0 = greedy
  float min_p = 0.0F;               // [0,1]; keeps tokens with p >= min_p * p_max
  std::int32_t top_k = 0;           // 0 = off
  float repetition_penalty = 1.0F;  // over prompt and answer (Keskar et al. 2019, CTRL)
  float presence_penalty = 0.0F;    // over the answer only, as OpenAI
  float frequency_penalty = 0.0F;   // over the answer only, as OpenAI
  std::vector<std::pair<token_id, float>> logit_bias;
  std::uint64_t seed = 0;  // always set: drawn at the edge when the client gave none
  // Alternatives reported with the log-probability of each token, 0-20; -1 = no log-probabilities.
  std::int32_t logprobs = -1;
  bool prompt_logprobs = false;  // for the prompt's tokens too; only with logprobs >= 0

  bool greedy() const noexcept { return temperature <= 0.0F || top_p <= 0.0F || top_k == 1; }
};

template <class Inspector>
auto inspect(Inspector& f, sampling_params& x) {
  return f(x.temperature, x.top_p, x.min_p, x.top_k, x.repetition_penalty, x.presence_penalty,
           x.frequency_penalty, x.logit_bias, x.seed, x.logprobs, x.prompt_logprobs);
}

}  // namespace neap
