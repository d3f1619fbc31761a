#pragma once
// From the logits of one row to one token.

#include "engine/decode/selection.hpp"
#include "engine/decode/token_history.hpp"
#include "messages/ids.hpp"
#include "messages/sampling_params.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace neap::decode {

// Chooses a token in the order sampling_params documents. Nothing if `logits` is empty or a value is not
// finite. Changes `logits`. `index` is the token's position in the answer: the counter of the generator keyed
// by params.seed. Cost: one pass for greedy, a few passes otherwise.
std::optional<token_id> sample_token(const sampling_params& params, const token_history& history,
                                     std::uint64_t index, std::span<float> logits, sampling_scratch& scratch);

}  // namespace neap::decode
