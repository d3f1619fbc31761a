#pragma once

#include "actors/interfaces.hpp"
#include "actors/metrics.hpp"

namespace neap::actors {

struct telemetry_state {
  static inline const char* name = "telemetry";
  std::shared_ptr<actors::metrics> metrics;
  std::uint64_t requests = 0;
};

// Counts into `all`, which outlives a crash; one telemetry actor at a time.
telemetry_actor::behavior_type telemetry(watched_self<telemetry_actor, telemetry_state> self,
                                         std::shared_ptr<metrics> all);

}  // namespace neap::actors
