#pragma once
// Angles of rotary position embeddings (Su et al. 2021) with the scalings that long-context models use.

#include "engine/model/model_config.hpp"

#include <span>
#include <vector>

namespace neap::backend::cpu {

struct rope_frequencies {
  std::vector<float> inverse;  // [rotary / 2], radians per position
  float magnitude = 1;         // multiplies cosine and sine (YaRN)
};

// `factors` divide the frequencies (llama 3's rope_freqs.weight, [rotary / 2]); empty where the model has
// none.
rope_frequencies make_frequencies(const model::rope_config& rope, std::span<const float> factors);

// Cosines and sines of one position, [rotary / 2] each.
void rope_angles(const rope_frequencies& rope, std::uint32_t position, float* cos, float* sin) noexcept;

}  // namespace neap::backend::cpu
