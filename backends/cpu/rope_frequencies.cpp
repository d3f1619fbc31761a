#include "backends/cpu/rope_frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace neap::backend::cpu {
namespace {

// YaRN (Peng et al. 2023): pairs that turn more than `fast` times within the original context keep their
// frequency, those that turn less than `slow` times are interpolated, with a ramp in between.
constexpr double yarn_fast = 32;
constexpr double yarn_slow = 1;

// The (fractional) pair that turns `turns` times within the original context.
double yarn_pair(const model::rope_config& rope, double turns) {
  return rope.rotary * std::log(rope.original_context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(static_cast<double>(rope.base)));
}

// Share of interpolation of each pair, 0..1.
double yarn_ramp(const model::rope_config& rope, std::size_t pair) {
  const double low = std::max(std::floor(yarn_pair(rope, yarn_fast)), 0.0);
  const double high = std::min(std::ceil(yarn_pair(rope, yarn_slow)), rope.rotary - 1.0);
  return std::clamp((static_cast<double>(pair) - low) / std::max(high - low, 0.001), 0.0, 1.0);
}

double scaled_frequency(const model::rope_config& rope, std::size_t pair, double frequency) {
  switch (rope.scaling) {
    case model::rope_scaling::linear:
      return frequency / rope.factor;
    case model::rope_scaling::yarn: {
      const double ramp = yarn_ramp(rope, pair);
      return frequency / rope.factor * ramp + frequency * (1 - ramp);
    }
    case model::rope_scaling::none:
    case model::rope_scaling::llama3:  // wholly in the factors
      break;
  }
  return frequency;
}

}  // namespace

rope_frequencies make_frequencies(const model::rope_config& rope, std::span<const float> factors) {
  rope_frequencies result;
  for (std::size_t pair = 0; pair < rope.rotary / 2; ++pair) {
    double frequency =
        std::pow(static_cast<double>(rope.base), -2.0 * static_cast<double>(pair) / rope.rotary);
    if (pair < factors.size()) frequency /= factors[pair];
    result.inverse.push_back(static_cast<float>(scaled_frequency(rope, pair, frequency)));
  }
  if (rope.scaling == model::rope_scaling::yarn && rope.factor > 1)
    result.magnitude = 0.1F * std::log(rope.factor) + 1.0F;
  return result;
}

void rope_angles(const rope_frequencies& rope, std::uint32_t position, float* cos, float* sin) noexcept {
  for (std::size_t pair = 0; pair < rope.inverse.size(); ++pair) {
    const float angle = static_cast<float>(position) * rope.inverse[pair];
    cos[pair] = std::cos(angle) * rope.magnitude;
    sin[pair] = std::sin(angle) * rope.magnitude;
  }
}

}  // namespace neap::backend::cpu
