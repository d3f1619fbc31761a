#pragma once
// Tier x type x sensitivity -> urgency -> lane, and the whole classification of a sequence.

#include "engine/schedule/complexity.hpp"
#include "messages/routing.hpp"
#include "messages/sequence_request.hpp"

#include <functional>

namespace neap::schedule {

// Urgency in [0,1] of a tag: vip, interactive and realtime each raise it.
float urgency_of(const routing_tag& tag) noexcept;

// The lane of an urgency: dedicated from 0.75, deferred below 0.15, else batch.
lane lane_of(float urgency) noexcept;

// The policy type: from request to decision, no state.
using classify_policy = std::function<classification(const sequence_request&)>;

// The default policy with the given thresholds.
classify_policy make_classify_policy(const complexity_thresholds& thresholds);

// A policy that may come from another program, made safe: where it throws or is empty the default policy
// decides and the reason says so; urgency is brought into [0,1].
classify_policy guarded(classify_policy policy);

}  // namespace neap::schedule
