#pragma once
// The actors of one node and how they are wired: the server, the tests in virtual time and programs that embed
// Neap all start them here.

#include "actors/interfaces.hpp"
#include "actors/supervisor.hpp"
#include "backends/backend.hpp"
#include "engine/memory/memory_zones.hpp"
#include "engine/request/prompt_encoder.hpp"
#include "engine/request/request_state.hpp"
#include "engine/schedule/batch_scheduler.hpp"
#include "engine/schedule/route.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace neap::actors {

// What the actors need from outside. The device holds the model `limits.model` with its KV blocks reserved.
struct node_wiring {
  std::shared_ptr<backend::backend> device;
  memory::memory_zones zones;
  schedule::scheduler_limits limits;
  std::shared_ptr<const text::tokenizer> vocabulary;
  std::shared_ptr<const request::prompt_encoder> encoder;
  request::length_limits lengths;
  schedule::classify_policy policy;     // group, lane and urgency of a sequence
  std::size_t max_live_requests = 576;  // running and waiting; more are refused
  std::chrono::milliseconds defrag_period = std::chrono::hours{4};
  // Actors that block get threads of their own; off where a test drives every actor by hand.
  bool detach_blocking_actors = true;
  // Crashed actors: how often and how fast they are started again, and how long a step may take before the node
  // counts as stuck.
  supervise::restart_limits restarts;
  std::chrono::milliseconds step_limit = std::chrono::seconds{30};
  std::function<void(const std::string&)> log;       // a line for each crash; called on an actor's thread
  std::function<void(const std::string&)> on_fatal;  // the node cannot go on and must be ended; the same
  std::function<void(const std::string&)> request_log;  // a line for each request that ended; the same; may be empty
  // Sees every request's actor when it starts; may be empty.
  std::function<void(request_id, const request_actor&)> on_request;
};

// A running node. The supervisor owns all other actors.
struct node_actors {
  supervisor_actor supervisor;
  readiness_flag ready;
  published_peers peers;

  // Asks the supervisor, and with it all others, to end, and lets go of it.
  void stop();
};

// Starts and wires all actors; they are ready when this returns. Throws std::system_error if the system gives no
// thread for a blocking actor.
node_actors spawn_actors(caf::actor_system& system, const node_wiring& wiring);

}  // namespace neap::actors
