#include "actors/memory_manager.hpp"

#include "actors/crash_text.hpp"
#include "actors/watched_actor.hpp"

#include <algorithm>

namespace neap::actors {
namespace {

constexpr std::uint32_t pool_growth_blocks = 256;

report_fields figures(const memory_manager_state& state) {
  const auto& pool = *state.pool;
  return {field("blocks_free", pool.free_blocks()),           field("blocks_leased", pool.leased_blocks()),
          field("blocks_committed", pool.committed_blocks()), field("blocks_maximum", pool.maximum_blocks()),
          field("fragmentation", pool.fragmentation()),       field("weight_bytes", state.zones.weight_bytes),
          field("arena_bytes", state.zones.arena_bytes),      field("kv_bytes", state.zones.kv_bytes),
          field("rejected_releases", state.rejected_releases)};
}

std::unique_ptr<memory::block_pool> make_pool(const memory::memory_zones& zones) {
  return std::make_unique<memory::block_pool>(std::min(pool_growth_blocks, zones.kv_blocks), zones.kv_blocks,
                                              pool_growth_blocks);
}

}  // namespace

memory_manager_actor::behavior_type memory_manager(
    watched_self<memory_manager_actor, memory_manager_state> self, const memory::memory_zones& zones) {
  auto& state = self->state;
  state.zones = zones;
  state.pool = make_pool(zones);
  keep_crash_text(self);
  return {
      [self](inspect_a) { return make_report(self, figures(self->state)); },
      [self](lease_a, std::uint32_t count) -> block_list_ptr {
        return std::make_shared<const std::vector<block_id>>(self->state.pool->lease(count));
      },
      [self](release_a, const block_list_ptr& blocks) {
        if (!self->state.pool->release(*blocks)) ++self->state.rejected_releases;
      },
      [self](compact_a) { self->state.pool->compact(); },
      [self](adopt_a, const block_list_ptr& blocks) {
        if (!self->state.pool->adopt(*blocks)) ++self->state.rejected_releases;
      },
      [self](reset_a) { self->state.pool = make_pool(self->state.zones); },
  };
}

}  // namespace neap::actors
