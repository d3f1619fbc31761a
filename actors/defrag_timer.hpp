#pragma once

#include "actors/interfaces.hpp"

#include <chrono>

namespace neap::actors {

struct defrag_timer_state {
  static inline const char* name = "defrag_timer";
  std::uint64_t ticks = 0;  // first: CAF would try to make a handle in first place from the self pointer
  memory_manager_actor memory;
};

// Asks the memory manager to compact every `period`.
defrag_timer_actor::behavior_type defrag_timer(watched_self<defrag_timer_actor, defrag_timer_state> self,
                                               const memory_manager_actor& memory,
                                               std::chrono::milliseconds period);

}  // namespace neap::actors
