#pragma once

#include "actors/interfaces.hpp"
#include "messages/gateway.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace neap::actors {

// Written by the supervisor alone, read from any thread.
using readiness_flag = std::shared_ptr<std::atomic<readiness>>;

struct supervisor_state {
  static inline const char* name = "supervisor";
  std::vector<std::pair<std::string, caf::actor_addr>> watched;
  std::uint64_t losses = 0;
};

// Monitors the essential actors (name, handle). Ready at once; draining from the first drain on; when an
// essential actor is lost the node has failed, for good, and every live request fails.
supervisor_actor::behavior_type supervisor(supervisor_actor::stateful_pointer<supervisor_state> self,
                                           const std::vector<std::pair<std::string, caf::actor>>& essential,
                                           const ingress_actor& ingress, const readiness_flag& ready);

}  // namespace neap::actors
