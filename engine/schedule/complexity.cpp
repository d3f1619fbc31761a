#include "engine/schedule/complexity.hpp"

#include <algorithm>
#include <cstdio>

namespace neap::schedule {
namespace {

// 0 at 0, 1/2 at `half`, towards 1.
float saturate(float x, float half) { return x / (x + half); }

float share_of(std::string_view text, std::string_view characters) {
  if (text.empty()) return 0;
  const auto count = std::count_if(text.begin(), text.end(),
                                   [&](char c) { return characters.find(c) != std::string_view::npos; });
  return static_cast<float>(count) / static_cast<float>(text.size());
}

std::string describe(const char* format, double score, double limit, std::uint32_t tokens,
                     std::uint32_t token_limit) {
  char line[128];
  std::snprintf(line, sizeof line, format, score, limit, tokens, token_limit);
  return line;
}

}  // namespace

complexity_features extract_features(const sequence_request& request) {
  const std::string_view text = request.prompt_text;
  complexity_features out;
  out.prompt_tokens = static_cast<std::uint32_t>(request.prompt->size());
  out.max_tokens = request.max_tokens;
  out.code = std::min(1.0F, 8 * share_of(text, "{}();<>=_"));
  out.math = std::min(1.0F, 6 * share_of(text, "0123456789+*/^="));
  out.question = text.find('?') != std::string_view::npos;
  return out;
}

float estimate_complexity(const complexity_features& features) {
  const float prompt = saturate(static_cast<float>(features.prompt_tokens), 400);
  const float answer = saturate(static_cast<float>(features.max_tokens), 600);
  const float score = 0.5F * prompt + 0.3F * answer + 0.1F * features.code + 0.08F * features.math +
                      (features.question ? 0.0F : 0.02F);
  return std::clamp(score, 0.0F, 1.0F);
}

group_choice choose_group(float score, std::uint32_t prompt_tokens, const complexity_thresholds& t) {
  const auto s = static_cast<double>(score);
  if (score > t.single_above)
    return {complexity_group::single_process,
            describe("complexity %.2f > %.2f (%u tokens)", s, static_cast<double>(t.single_above),
                     prompt_tokens, 0)};
  if (prompt_tokens > t.single_tokens)
    return {complexity_group::single_process,
            describe("complexity %.2f (limit %.2f), %u tokens > %u", s, static_cast<double>(t.single_above),
                     prompt_tokens, t.single_tokens)};
  if (score < t.fast_below && prompt_tokens < t.fast_tokens)
    return {complexity_group::fast_group,
            describe("complexity %.2f < %.2f and %u tokens < %u", s, static_cast<double>(t.fast_below),
                     prompt_tokens, t.fast_tokens)};
  return {complexity_group::default_batch, describe("complexity %.2f (fast below %.2f), %u tokens", s,
                                                    static_cast<double>(t.fast_below), prompt_tokens, 0)};
}

}  // namespace neap::schedule
