#include "actors/defrag_timer.hpp"

#include "actors/crash_text.hpp"
#include "actors/node_peers.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {

defrag_timer_actor::behavior_type defrag_timer(watched_self<defrag_timer_actor, defrag_timer_state> self,
                                               const memory_manager_actor& memory,
                                               std::chrono::milliseconds period) {
  self->state.memory = memory;
  keep_crash_text(self);
  self->delayed_send(self, period, tick_a::value);
  return {
      [self](inspect_a) { return make_report(self, {field("ticks", self->state.ticks)}); },
      [self, period](tick_a) {
        ++self->state.ticks;
        self->send(self->state.memory, compact_a::value);
        self->delayed_send(self, period, tick_a::value);
      },
      [self](peers_a, const node_peers_ptr& peers) { self->state.memory = peers->memory; },
  };
}

}  // namespace neap::actors
