#pragma once
// Which tokens stay after top-k, top-p and min-p. Values are logits after apply_temperature: the largest is
// 0. Tokens are ordered by value, the lower id first among equals. A filter is the last token it keeps in
// that order, so no filter sorts the vocabulary: each costs expected linear time.

#include "messages/ids.hpp"
#include "messages/sampling_params.hpp"

#include <span>
#include <vector>

namespace neap::decode {

struct candidate {
  float value = 0;
  token_id id = 0;
};

// Whether `a` comes before `b`.
constexpr bool better(const candidate& a, const candidate& b) noexcept {
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

// Buffers that a thread reuses from row to row; they grow to the vocabulary's size once.
struct sampling_scratch {
  std::vector<candidate> candidates;
  std::vector<float> weights;
  std::vector<float> logits;  // as the model gave them, where log-probabilities are asked for
};

// The last of the k best; scratch.candidates begins with all k, in no order. Precondition: 1 <= k <=
// values.size().
candidate top_k_cut(std::span<const float> values, std::size_t k, sampling_scratch& scratch);

// The last token of the smallest set of best tokens, among those up to `cut`, that holds at least `top_p` of
// their mass. Precondition: 0 < top_p < 1.
candidate top_p_cut(std::span<const float> values, candidate cut, float top_p, sampling_scratch& scratch);

// Fills scratch.candidates with what top-k, top-p and min-p of `params` keep, in order of id. Never empty.
void select_candidates(std::span<const float> values, const sampling_params& params,
                       sampling_scratch& scratch);

}  // namespace neap::decode
