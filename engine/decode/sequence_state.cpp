#include "engine/decode/sequence_state.hpp"

#include "engine/decode/logit_processing.hpp"

#include <algorithm>

namespace neap::decode {

sequence_state::sequence_state(const sequence_start& start)
    : params_(start.sampling), stop_token_ids_(start.stop_token_ids), max_tokens_(start.max_tokens) {
  if (start.prompt && params_.repetition_penalty != 1.0F) history_.add_prompt(*start.prompt);
  for (const auto token : start.answer) accept(token);
}

sequence_state sequence_state::fork(std::uint64_t seed) const {
  sequence_state child = *this;
  child.params_.seed = seed;
  return child;
}

std::optional<token_id> sequence_state::sample(std::uint64_t index, std::span<float> logits,
                                               sampling_scratch& scratch) {
  const auto token = sample_token(params_, history_, index, logits, scratch);
  if (token)
    accept(*token);
  else
    finish_ = finish_reason::failed;
  return token;
}

void sequence_state::accept(token_id token) {
  last_ = token;
  ++generated_;
  if (needs_history(params_)) history_.add_answer(token);
  if (std::find(stop_token_ids_.begin(), stop_token_ids_.end(), token) != stop_token_ids_.end())
    finish_ = finish_reason::stop;
  else if (generated_ >= max_tokens_)
    finish_ = finish_reason::length;
}

}  // namespace neap::decode
