#include "engine/schedule/route.hpp"

namespace neap::schedule {

float urgency_of(const routing_tag& tag) noexcept {
  return (tag.tier == service_tier::vip ? 0.5F : 0.0F) +
         (tag.type == request_type::interactive ? 0.25F : 0.0F) +
         (tag.sensitivity == sensitivity::realtime ? 0.25F : 0.0F);
}

lane lane_of(float urgency) noexcept {
  if (urgency >= 0.75F) return lane::dedicated;
  return urgency < 0.15F ? lane::deferred : lane::batch;
}

classify_policy make_classify_policy(const complexity_thresholds& thresholds) {
  return [thresholds](const sequence_request& request) {
    const auto features = extract_features(request);
    classification out;
    out.complexity = estimate_complexity(features);
    auto group = choose_group(out.complexity, features.prompt_tokens, thresholds);
    out.group = group.group;
    out.reason = std::move(group.reason);
    out.urgency = urgency_of(request.tag);
    out.lane = lane_of(out.urgency);
    out.predicted_tokens = request.max_tokens;
    return out;
  };
}

}  // namespace neap::schedule
