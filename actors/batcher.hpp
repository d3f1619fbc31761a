#pragma once

#include "actors/node_peers.hpp"
#include "engine/schedule/batch_scheduler.hpp"

#include <deque>
#include <memory>
#include <unordered_map>

namespace neap::actors {

struct batcher_state {
  static inline const char* name = "batcher";
  std::unique_ptr<schedule::batch_scheduler> scheduler;
  std::unordered_map<sequence_id, request_actor> owners;
  executor_actor executor;  // null from its loss until its successor is known
  std::uint64_t executors = 1;  // so far; answers of earlier ones are ignored
  memory_manager_actor memory;
  telemetry_actor telemetry;
  std::deque<steady_time> sent;  // of the plans in flight
  std::uint32_t blocks_total = 0;
  std::uint64_t steps = 0;

  // One message to each request that a step changed; sequences that ended lose their owner.
  void deliver(sequence_update_list updates);
  // The gauges as they are now.
  std::shared_ptr<step_sample> sample() const;
  report_fields figures() const;

  // The gauges of a batcher that died fall to 0.
  ~batcher_state();
};

// Continuous batching over one executor, one plan ahead. `peers` names executor, memory manager and telemetry. When
// the executor dies its sequences wait and go on, token for token, on the next one.
batcher_actor::behavior_type batcher(watched_self<batcher_actor, batcher_state> self,
                                     const node_peers& peers, const schedule::scheduler_limits& limits);

}  // namespace neap::actors
