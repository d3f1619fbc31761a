#include "engine/decode/sampler.hpp"

#include "engine/decode/exponential.hpp"
#include "engine/decode/logit_processing.hpp"
#include "engine/decode/philox.hpp"

#include <algorithm>

namespace neap::decode {
namespace {

constexpr std::size_t block = 256;

double sum_block(std::span<const float> weights, std::size_t begin) noexcept {
  const std::size_t end = std::min(begin + block, weights.size());
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += weights[i];
  return sum;
}

// Index where the running sum of `weights` first exceeds `target`; the last positive weight if rounding keeps
// it below.
std::size_t walk(std::span<const float> weights, double target) noexcept {
  double sum = 0;
  std::size_t begin = 0;
  while (begin + block < weights.size()) {
    const double next = sum + sum_block(weights, begin);
    if (next > target) break;
    sum = next;
    begin += block;
  }
  std::size_t last = begin;
  for (std::size_t i = begin; i < weights.size(); ++i) {
    if (weights[i] <= 0.0F) continue;
    last = i;
    sum += weights[i];
    if (sum > target) break;
  }
  return last;
}

token_id draw(sampling_scratch& scratch, double uniform) {
  const auto& candidates = scratch.candidates;
  auto& weights = scratch.weights;
  weights.resize(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) weights[i] = exp_nonpositive(candidates[i].value);
  double total = 0;
  for (std::size_t begin = 0; begin < weights.size(); begin += block) total += sum_block(weights, begin);
  return candidates[walk(weights, uniform * total)].id;
}

}  // namespace

std::optional<token_id> sample_token(const sampling_params& params, const token_history& history,
                                     std::uint64_t index, std::span<float> logits,
                                     sampling_scratch& scratch) {
  if (logits.empty() || !all_finite(logits)) return std::nullopt;
  apply_penalties(params, history, logits);
  if (!all_finite(logits)) return std::nullopt;
  if (params.greedy()) return static_cast<token_id>(index_of_maximum(logits));
  apply_temperature(params.temperature, logits);
  select_candidates(logits, params, scratch);
  return draw(scratch, philox_uniform(params.seed, index));
}

}  // namespace neap::decode
