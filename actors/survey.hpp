#pragma once
// Collects what the actors of a node say about themselves. Runs in a short-lived actor of its own; whoever hangs
// cannot hold it up.

#include "actors/node_peers.hpp"
#include "messages/gateway.hpp"

#include <caf/event_based_actor.hpp>

#include <vector>

namespace neap::actors {

// One view an actor, the supervisor last. An actor that does not answer within 200 ms is described by its card.
// `reply` is called once.
void survey_actors(caf::event_based_actor* self, const node_peers& peers, const supervisor_actor& supervisor,
                   const reply_callback<std::vector<actor_view>>& reply);

// One view a live request, oldest first. Error: ingress did not answer.
void survey_requests(caf::event_based_actor* self, const node_peers& peers,
                     const reply_callback<std::vector<request_view>>& reply);

}  // namespace neap::actors
