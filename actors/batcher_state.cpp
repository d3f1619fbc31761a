// What the batcher tells others about its sequences.

#include "actors/batcher.hpp"

#include <caf/send.hpp>

#include <map>

namespace neap::actors {

void batcher_state::deliver(sequence_update_list updates) {
  std::map<caf::actor_id, std::pair<request_actor, std::shared_ptr<sequence_update_list>>> lists;
  for (auto& update : updates) {
    const auto owner = owners.find(update.sequence);
    if (owner == owners.end()) continue;
    auto& [actor, list] = lists[owner->second.id()];
    if (list == nullptr) {
      actor = owner->second;
      list = std::make_shared<sequence_update_list>();
    }
    const bool ends = update.finish != finish_reason::none;
    list->push_back(std::move(update));
    if (ends) owners.erase(owner);
  }
  for (auto& [id, entry] : lists)
    caf::anon_send(entry.first, update_a::value, sequence_update_list_ptr{entry.second});
}

std::shared_ptr<step_sample> batcher_state::sample() const {
  const auto counts = scheduler->counts();
  auto out = std::make_shared<step_sample>();
  *out = {0, counts.running, counts.waiting, counts.blocks_used, blocks_total, counts.preemptions};
  return out;
}

report_fields batcher_state::figures() const {
  const auto counts = scheduler->counts();
  return {field("running", counts.running),
          field("waiting", counts.waiting),
          field("blocks_used", counts.blocks_used),
          field("preemptions", counts.preemptions),
          field("plans_in_flight", counts.plans_in_flight),
          field("steps", steps)};
}

batcher_state::~batcher_state() {
  if (!telemetry) return;
  auto last = std::make_shared<step_sample>();
  last->blocks_total = blocks_total;
  last->preemptions = scheduler->counts().preemptions;
  caf::anon_send(telemetry, sample_a::value, step_sample_ptr{std::move(last)});
}

}  // namespace neap::actors
