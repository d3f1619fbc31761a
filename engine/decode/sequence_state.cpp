#include "engine/decode/sequence_state.hpp"

#include "engine/decode/logit_processing.hpp"
#include "engine/decode/logprobs.hpp"

#include <algorithm>

namespace neap::decode {

sequence_state::sequence_state(const sequence_start& start)
    : params_(start.sampling), stop_token_ids_(start.stop_token_ids), max_tokens_(start.max_tokens) {
  if (start.prompt && params_.repetition_penalty != 1.0F) history_.add_prompt(*start.prompt);
  if (params_.prompt_logprobs) prompt_ = start.prompt;
  for (const auto token : start.answer) accept(token);
}

sequence_state sequence_state::fork(std::uint64_t seed) const {
  sequence_state child = *this;
  child.params_.seed = seed;
  return child;
}

std::optional<token_id> sequence_state::sample(std::uint64_t index, std::span<float> logits,
                                               sampling_scratch& scratch) {
  const bool scored = params_.logprobs >= 0;
  if (scored) scratch.logits.assign(logits.begin(), logits.end());  // sampling changes them
  const auto token = sample_token(params_, history_, index, logits, scratch);
  if (!token) {
    finish_ = finish_reason::failed;
    return token;
  }
  accept(*token);
  if (scored) logprobs_ = score(*token, scratch.logits, scratch);
  return token;
}

std::optional<token_id> sequence_state::prompt_token(std::uint64_t position) const noexcept {
  if (!prompt_ || position >= prompt_->size()) return std::nullopt;
  return (*prompt_)[position];
}

token_logprobs sequence_state::score(token_id token, std::span<const float> logits,
                                     sampling_scratch& scratch) const {
  return score_token(logits, token, static_cast<std::uint32_t>(std::max(params_.logprobs, 0)), scratch);
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
