#include "engine/decode/logit_processing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace neap::decode {
namespace {

constexpr std::size_t lanes = 16;

float largest(std::span<const float> x) noexcept {
  std::array<float, lanes> best;
  best.fill(x[0]);
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      best[lane] = x[i + lane] > best[lane] ? x[i + lane] : best[lane];
  float result = *std::max_element(best.begin(), best.end());
  for (; i < x.size(); ++i) result = std::max(result, x[i]);
  return result;
}

float repetition_penalised(float logit, float penalty) noexcept {
  return logit > 0 ? logit / penalty : logit * penalty;
}

}  // namespace

bool all_finite(std::span<const float> x) noexcept {
  // An exponent of all ones marks NaN and infinity.
  std::array<std::int32_t, lanes> highest{};
  std::size_t i = 0;
  const auto magnitude = [&](std::size_t at) { return std::bit_cast<std::int32_t>(x[at]) & 0x7FFFFFFF; };
  for (; i + lanes <= x.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto bits = magnitude(i + lane);
      highest[lane] = bits > highest[lane] ? bits : highest[lane];
    }
  for (; i < x.size(); ++i) highest[0] = std::max(highest[0], magnitude(i));
  return *std::max_element(highest.begin(), highest.end()) < 0x7F800000;
}

std::size_t index_of_maximum(std::span<const float> x) noexcept {
  const float best = largest(x);
  return static_cast<std::size_t>(std::find(x.begin(), x.end(), best) - x.begin());
}

bool needs_history(const sampling_params& params) noexcept {
  return params.repetition_penalty != 1.0F || params.presence_penalty != 0.0F ||
         params.frequency_penalty != 0.0F;
}

void apply_penalties(const sampling_params& params, const token_history& history,
                     std::span<float> logits) noexcept {
  const auto in_vocabulary = [&](token_id token) {
    return token >= 0 && static_cast<std::size_t>(token) < logits.size();
  };
  for (const auto& [token, bias] : params.logit_bias)
    if (in_vocabulary(token)) logits[static_cast<std::size_t>(token)] += bias;
  if (!needs_history(params)) return;
  for (const auto& [token, seen] : history.entries()) {
    if (!in_vocabulary(token)) continue;
    float& logit = logits[static_cast<std::size_t>(token)];
    if (params.repetition_penalty != 1.0F) logit = repetition_penalised(logit, params.repetition_penalty);
    if (seen.in_answer == 0) continue;
    logit -= params.presence_penalty;
    logit -= params.frequency_penalty * static_cast<float>(seen.in_answer);
  }
}

void apply_temperature(float temperature, std::span<float> logits) noexcept {
  const float best = largest(logits);
  for (float& x : logits) x = (x - best) / temperature;
}

}  // namespace neap::decode
