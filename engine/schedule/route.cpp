#include "engine/schedule/route.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

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

namespace {

classification instead(const sequence_request& request, const char* reason) {
  auto out = make_classify_policy({})(request);
  out.reason = "the policy failed (" + std::string{reason} + "), so: " + out.reason;
  return out;
}

classification try_policy(const classify_policy& policy, const sequence_request& request) {
  try {
    return policy(request);
  } catch (const std::exception& failure) {
    return instead(request, failure.what());
  } catch (...) {
    return instead(request, "unknown exception");
  }
}

}  // namespace

classify_policy guarded(classify_policy policy) {
  return [policy = std::move(policy)](const sequence_request& request) {
    auto out = try_policy(policy, request);
    out.urgency = out.urgency > 0 ? std::min(out.urgency, 1.0F) : 0.0F;  // also where it is no number
    return out;
  };
}

}  // namespace neap::schedule
