#pragma once

#include "actors/interfaces.hpp"
#include "engine/memory/block_pool.hpp"
#include "engine/memory/memory_zones.hpp"

#include <memory>

namespace neap::actors {

struct memory_manager_state {
  static inline const char* name = "memory_manager";
  std::unique_ptr<memory::block_pool> pool;
  memory::memory_zones zones;
  std::uint64_t rejected_releases = 0;
};

memory_manager_actor::behavior_type memory_manager(
    watched_self<memory_manager_actor, memory_manager_state> self, const memory::memory_zones& zones);

}  // namespace neap::actors
