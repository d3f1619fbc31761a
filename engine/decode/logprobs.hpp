#pragma once
// Log-probabilities from logits.

#include "engine/decode/selection.hpp"
#include "messages/token_logprobs.hpp"

#include <cstdint>
#include <span>

namespace neap::decode {

// log(sum(exp(logits))). Precondition: not empty, all finite. Cost: three passes that vectorise.
double log_normaliser(std::span<const float> logits);

// The log-probability of `token` and of the `alternatives` most likely tokens, best first, the lower id first
// among equals. Precondition: as above, and token < logits.size(). Cost: log_normaliser and, with
// alternatives, one more pass.
token_logprobs score_token(std::span<const float> logits, token_id token, std::uint32_t alternatives,
                           sampling_scratch& scratch);

}  // namespace neap::decode
