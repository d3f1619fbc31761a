#pragma once

#include "actors/interfaces.hpp"
#include "actors/metrics.hpp"

namespace neap::actors {

struct telemetry_state {
  static inline const char* name = "telemetry";
  actors::metrics metrics;
  std::uint64_t requests = 0;
};

telemetry_actor::behavior_type telemetry(telemetry_actor::stateful_pointer<telemetry_state> self);

}  // namespace neap::actors
