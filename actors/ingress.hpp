#pragma once

#include "actors/interfaces.hpp"
#include "actors/request.hpp"

#include <caf/typed_response_promise.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

namespace neap::actors {

struct ingress_state {
  static inline const char* name = "ingress";
  std::unordered_map<request_id, request_actor> live;
  node_peers_ptr peers;
  sequence_id next_sequence = 1;
  bool draining = false;
  bool cut_off = false;  // the drain's limit passed
  std::vector<caf::typed_response_promise<bool>> drained;

  // Who waits for a drain is answered even if this actor dies.
  ~ingress_state() {
    for (auto& promise : drained) promise.deliver(false);
  }
};

// Starts the actor of a request.
using request_spawner =
    std::function<request_actor(const ingress_actor& self, const node_peers_ptr& peers,
                                const generation_request_ptr& request, const token_sink_ptr& sink,
                                sequence_id first_sequence)>;

// `max_live`: requests at once, running and waiting; more are refused. `first_sequence`: above every id that an
// earlier ingress of this node gave out.
ingress_actor::behavior_type ingress(watched_self<ingress_actor, ingress_state> self,
                                     const request_spawner& spawn, const node_peers_ptr& peers,
                                     std::size_t max_live, sequence_id first_sequence);

}  // namespace neap::actors
