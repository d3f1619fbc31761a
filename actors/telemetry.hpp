#pragma once

#include "actors/interfaces.hpp"
#include "actors/metrics.hpp"

#include <functional>
#include <memory>
#include <string>

namespace neap::actors {

struct telemetry_state {
  static inline const char* name = "telemetry";
  std::shared_ptr<actors::metrics> metrics;
  std::function<void(const std::string&)> request_log;
  std::uint64_t requests = 0;
};

// Counts into `all`, which outlives a crash; one telemetry actor at a time. `request_log` gets a line for every request
// that ended; may be empty.
telemetry_actor::behavior_type telemetry(watched_self<telemetry_actor, telemetry_state> self,
                                         std::shared_ptr<metrics> all,
                                         std::function<void(const std::string&)> request_log);

}  // namespace neap::actors
