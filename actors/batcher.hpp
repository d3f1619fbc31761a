#pragma once

#include "actors/interfaces.hpp"
#include "engine/schedule/batch_scheduler.hpp"

#include <caf/typed_response_promise.hpp>

#include <memory>
#include <unordered_map>

namespace neap::actors {

struct batcher_peers {
  executor_actor executor;
  memory_manager_actor memory;
  telemetry_actor telemetry;
};

struct batcher_state {
  static inline const char* name = "batcher";
  std::unique_ptr<schedule::batch_scheduler> scheduler;
  std::unordered_map<sequence_id, request_actor> owners;
  std::uint32_t blocks_total = 0;
  std::uint64_t steps = 0;
  telemetry_actor telemetry;

  // The gauges of a batcher that died fall to 0.
  ~batcher_state();
};

// Continuous batching over one executor, one plan ahead.
batcher_actor::behavior_type batcher(batcher_actor::stateful_pointer<batcher_state> self,
                                     const batcher_peers& peers, const schedule::scheduler_limits& limits);

}  // namespace neap::actors
