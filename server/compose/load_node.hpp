#pragma once
// For programs with an actor system of their own: a model file and options -> all that actors::spawn_actors
// needs.

#include "actors/node_actors.hpp"
#include "messages/gateway.hpp"
#include "messages/result.hpp"
#include "server/node.hpp"

#include <functional>

namespace neap::server {

// Keep it until the actor system has ended: the device's own threads then end on the owner's thread, not on
// an actor's.
struct loaded_node {
  // Complete. Policy, hooks and limits may be changed before the actors are spawned.
  actors::node_wiring wiring;
  served_model served;
};

// Loads the model and runs one token through it. Blocks, up to seconds; `progress` may be empty and is called
// on this thread. The options of the actor system (scheduler_*) are the caller's business. Errors are one
// line that says what to do.
result<loaded_node> load_node(const node_options& options,
                              const std::function<void(const load_progress&)>& progress = {},
                              const node_hooks& hooks = {});

}  // namespace neap::server
