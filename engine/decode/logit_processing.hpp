#pragma once
// What happens to the logits of one row before a token is drawn from them.

#include "engine/decode/token_history.hpp"
#include "messages/sampling_params.hpp"

#include <cstddef>
#include <span>

namespace neap::decode {

// False if any value is NaN or infinite. Cost: one pass.
bool all_finite(std::span<const float> x) noexcept;

// Index of the largest value, the lowest index among equals. Precondition: not empty, all finite.
std::size_t index_of_maximum(std::span<const float> x) noexcept;

// Whether apply_penalties reads the history for these parameters.
bool needs_history(const sampling_params& params) noexcept;

// Logit bias, then repetition, presence and frequency penalties. Ids outside the vocabulary are ignored.
// Cost: biased and seen tokens, not the vocabulary.
void apply_penalties(const sampling_params& params, const token_history& history,
                     std::span<float> logits) noexcept;

// x = (x - max x) / temperature, so that the largest value is 0 and no temperature > 0 overflows.
void apply_temperature(float temperature, std::span<float> logits) noexcept;

}  // namespace neap::decode
