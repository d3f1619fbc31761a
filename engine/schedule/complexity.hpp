#pragma once
// How much work a prompt will be: an estimate in [0,1] from what can be seen before running it, and the group
// it gives.

#include "messages/routing.hpp"
#include "messages/sequence_request.hpp"

#include <cstdint>
#include <string_view>

namespace neap::schedule {

struct complexity_thresholds {
  float fast_below = 0.3F;            // FAST_GROUP: score below this ...
  std::uint32_t fast_tokens = 100;    // ... and fewer prompt tokens than this
  float single_above = 0.7F;          // SINGLE_PROCESS: score above this ...
  std::uint32_t single_tokens = 512;  // ... or more prompt tokens than this
};

struct complexity_features {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t max_tokens = 0;
  float code = 0;  // share of characters that are typical of code, 0..1
  float math = 0;  // share of digits and operators, 0..1
  bool question = false;
};

// Linear in the text.
complexity_features extract_features(const sequence_request& request);

// Weighted sum of saturating features; monotone in both lengths.
float estimate_complexity(const complexity_features& features);

// Group and reason by the thresholds; SINGLE_PROCESS is looked at first.
struct group_choice {
  complexity_group group = complexity_group::default_batch;
  std::string reason;
};
group_choice choose_group(float score, std::uint32_t prompt_tokens, const complexity_thresholds& thresholds);

}  // namespace neap::schedule
