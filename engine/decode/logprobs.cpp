#include "engine/decode/logprobs.hpp"

#include "engine/decode/exponential.hpp"
#include "engine/decode/logit_processing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace neap::decode {
namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t block = 256;

// Short float sums, added up in double.
double sum_of_exponentials(std::span<const float> x, float best) {
  double total = 0;
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const std::size_t end = std::min(begin + block, x.size());
    std::array<float, lanes> sums{};
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += exp_nonpositive(x[i + lane] - best);
    for (; i < end; ++i) sums[0] += exp_nonpositive(x[i] - best);
    for (const float sum : sums) total += sum;
  }
  return total;
}

}  // namespace

double log_normaliser(std::span<const float> logits) {
  const float best = logits[index_of_maximum(logits)];
  return best + std::log(sum_of_exponentials(logits, best));
}

token_logprobs score_token(std::span<const float> logits, token_id token, std::uint32_t alternatives,
                           sampling_scratch& scratch) {
  const double normaliser = log_normaliser(logits);
  const auto logprob = [&](float logit) { return std::min(static_cast<float>(logit - normaliser), 0.0F); };
  token_logprobs out{{token, logprob(logits[static_cast<std::size_t>(token)])}, {}};
  const auto count = std::min<std::size_t>(alternatives, logits.size());
  if (count == 0) return out;
  top_k_cut(logits, count, scratch);
  const auto begin = scratch.candidates.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  std::sort(begin, end, better);
  for (auto at = begin; at != end; ++at) out.top.push_back({at->id, logprob(at->value)});
  return out;
}

}  // namespace neap::decode
