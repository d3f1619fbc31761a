#include "actors/batcher.hpp"

#include "actors/timeouts.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>

namespace neap::actors {
namespace {

using self_pointer = batcher_actor::stateful_pointer<batcher_state>;

void pump(self_pointer self, const batcher_peers& peers);

// One message per request and step.
void deliver(batcher_state& state, self_pointer self, sequence_update_list updates) {
  std::map<caf::actor_id, std::pair<request_actor, std::shared_ptr<sequence_update_list>>> lists;
  for (auto& update : updates) {
    const auto owner = state.owners.find(update.sequence);
    if (owner == state.owners.end()) continue;
    auto& [actor, list] = lists[owner->second.id()];
    if (list == nullptr) {
      actor = owner->second;
      list = std::make_shared<sequence_update_list>();
    }
    const bool ends = update.finish != finish_reason::none;
    list->push_back(std::move(update));
    if (ends) state.owners.erase(owner);
  }
  for (auto& [id, entry] : lists)
    self->send(entry.first, update_a::value, sequence_update_list_ptr{entry.second});
}

std::shared_ptr<step_sample> sample_of(const batcher_state& state) {
  const auto counts = state.scheduler->counts();
  auto sample = std::make_shared<step_sample>();
  *sample = {0, counts.running, counts.waiting, counts.blocks_used, state.blocks_total, counts.preemptions};
  return sample;
}

void report(self_pointer self, const batcher_peers& peers, const step_result& result) {
  auto sample = sample_of(self->state);
  sample->steps = 1;
  sample->device_seconds = std::chrono::duration<double>(result.device_time).count();
  self->send(peers.telemetry, sample_a::value, step_sample_ptr{std::move(sample)});
}

void on_result(self_pointer self, const batcher_peers& peers, const step_result& result) {
  auto& state = self->state;
  ++state.steps;
  deliver(state, self, state.scheduler->complete(result, self->clock().now()));
  pump(self, peers);
  report(self, peers, result);
}

void send_plan(self_pointer self, const batcher_peers& peers, batch_plan&& next) {
  auto plan = std::make_shared<const batch_plan>(std::move(next));
  self->request(peers.executor, peer_timeout, step_a::value, plan)
      .then([self, peers](const step_result_ptr& result) { on_result(self, peers, *result); },
            [self, peers](const caf::error&) {
              const error lost{error_code::internal, "the executor is lost", ""};
              deliver(self->state, self, self->state.scheduler->fail_all(lost));
              self->send(peers.telemetry, sample_a::value, step_sample_ptr{sample_of(self->state)});
            });
}

void exchange_blocks(self_pointer self, const batcher_peers& peers) {
  auto& scheduler = *self->state.scheduler;
  if (auto surplus = scheduler.take_surplus(); !surplus.empty())
    self->send(peers.memory, release_a::value,
               std::make_shared<const std::vector<block_id>>(std::move(surplus)));
  const auto wanted = scheduler.take_lease_request();
  if (wanted == 0) return;
  self->request(peers.memory, peer_timeout, lease_a::value, wanted)
      .then(
          [self, peers](const block_list_ptr& blocks) {
            self->state.scheduler->grant(*blocks);
            pump(self, peers);
          },
          [self](const caf::error&) { self->state.scheduler->grant({}); });
}

// As many plans as may be in flight, then blocks for the next.
void pump(self_pointer self, const batcher_peers& peers) {
  while (auto plan = self->state.scheduler->plan(self->clock().now()))
    send_plan(self, peers, std::move(*plan));
  exchange_blocks(self, peers);
}

admission_ptr submit(self_pointer self, const batcher_peers& peers, const sequence_request_ptr& sequence,
                     const request_actor& owner) {
  auto taken = self->state.scheduler->submit(sequence, self->clock().now());
  if (taken) {
    self->state.owners.emplace(sequence->id, owner);
    pump(self, peers);
  }
  return std::make_shared<const result<void>>(std::move(taken));
}

report_fields figures(const batcher_state& state) {
  const auto counts = state.scheduler->counts();
  return {field("running", counts.running),
          field("waiting", counts.waiting),
          field("blocks_used", counts.blocks_used),
          field("preemptions", counts.preemptions),
          field("plans_in_flight", counts.plans_in_flight),
          field("steps", state.steps)};
}

}  // namespace

batcher_state::~batcher_state() {
  if (!telemetry) return;
  auto last = std::make_shared<step_sample>();
  last->blocks_total = blocks_total;
  last->preemptions = scheduler->counts().preemptions;
  caf::anon_send(telemetry, sample_a::value, step_sample_ptr{std::move(last)});
}

batcher_actor::behavior_type batcher(self_pointer self, const batcher_peers& peers,
                                     const schedule::scheduler_limits& limits) {
  self->state.scheduler = std::make_unique<schedule::batch_scheduler>(limits);
  self->state.blocks_total = limits.total_blocks;
  self->state.telemetry = peers.telemetry;
  return {
      [self](inspect_a) { return make_report(self, figures(self->state)); },
      [self, peers](submit_a, const sequence_request_ptr& sequence, const request_actor& owner) {
        return submit(self, peers, sequence, owner);
      },
      [self, peers](cancel_a, sequence_id id) {
        self->state.owners.erase(id);
        if (self->state.scheduler->cancel(id)) pump(self, peers);
      },
  };
}

}  // namespace neap::actors
