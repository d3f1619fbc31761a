#pragma once
// The handles that a node's actors have of each other. Immutable: after a restart the supervisor sends everybody a new
// one.

#include "actors/interfaces.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace neap::actors {

struct node_peers {
  telemetry_actor telemetry;
  memory_manager_actor memory;
  text_encoder_actor encoder;
  classifier_actor classifier;
  executor_actor executor;
  batcher_actor batcher;
  defrag_timer_actor timer;
  ingress_actor ingress;
  std::map<std::string, std::uint32_t> restarts;  // so far, by name; names that are missing: none
};

// For threads that are no actors. Written by the supervisor alone; null before the start and after the end.
using published_peers = std::shared_ptr<std::atomic<node_peers_ptr>>;

}  // namespace neap::actors
