#pragma once

#include "actors/interfaces.hpp"
#include "backends/backend.hpp"

#include <memory>

namespace neap::actors {

struct gpu_executor_state {
  static inline const char* name = "gpu_executor";
  std::shared_ptr<backend::backend> device;
  std::uint64_t steps = 0;
  std::uint64_t failures = 0;
  std::chrono::nanoseconds busy{};
};

// One device lane for one model. Spawn detached: a step blocks its thread. Device objects are freed with the backend,
// by its owner. Begins with no open sequence, whatever an executor before it left.
executor_actor::behavior_type gpu_executor(watched_self<executor_actor, gpu_executor_state> self,
                                           std::shared_ptr<backend::backend> device,
                                           backend::model_index model);

}  // namespace neap::actors
