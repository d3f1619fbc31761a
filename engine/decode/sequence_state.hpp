#pragma once
// The decoding state of one open sequence, kept where its tokens are sampled.

#include "engine/decode/mean_hidden.hpp"
#include "engine/decode/sampler.hpp"
#include "engine/decode/token_history.hpp"
#include "messages/batch_plan.hpp"
#include "messages/step_result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace neap::decode {

class sequence_state {
 public:
  explicit sequence_state(const sequence_start& start);

  // A copy with its own random numbers: same history, same remaining tokens.
  sequence_state fork(std::uint64_t seed) const;

  // Samples the token at `index` of the answer from `logits` (changed) and records it. Nothing, and the
  // sequence fails, if a logit is not finite. Precondition: !finished().
  std::optional<token_id> sample(std::uint64_t index, std::span<float> logits, sampling_scratch& scratch);

  // Log-probabilities of the token sampled last, if the sequence asks for them; once.
  std::optional<token_logprobs> take_logprobs() noexcept { return std::exchange(logprobs_, std::nullopt); }

  // The prompt token at a position, nothing past the prompt or where no prompt_logprobs are asked for.
  std::optional<token_id> prompt_token(std::uint64_t position) const noexcept;
  // Log-probabilities of any token as sample() would report them. Precondition: all logits finite.
  token_logprobs score(token_id token, std::span<const float> logits, sampling_scratch& scratch) const;

  mean_hidden& mean() noexcept { return mean_; }

  // Records a token chosen elsewhere as the next one of the answer.
  void accept(token_id token);

  bool finished() const noexcept { return finish_ != finish_reason::none; }
  finish_reason finish() const noexcept { return finish_; }
  std::uint32_t generated() const noexcept { return generated_; }
  // The token sampled last, nothing before the first.
  std::optional<token_id> last_token() const noexcept { return last_; }

 private:
  sampling_params params_;
  std::vector<token_id> stop_token_ids_;
  std::uint32_t max_tokens_ = 1;
  std::uint32_t generated_ = 0;
  std::optional<token_id> last_;
  finish_reason finish_ = finish_reason::none;
  token_history history_;    // kept only if a penalty reads it
  token_vector_ptr prompt_;  // kept only for prompt_logprobs
  std::optional<token_logprobs> logprobs_;
  mean_hidden mean_;
};

}  // namespace neap::decode
