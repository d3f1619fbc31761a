#include "actors/batcher.hpp"

#include "actors/crash_text.hpp"
#include "actors/timeouts.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {
namespace {

using self_pointer = watched_self<batcher_actor, batcher_state>;

void pump(self_pointer self);

void report(self_pointer self, const step_result& result) {
  auto sample = self->state.sample();
  sample->steps = 1;
  sample->device_seconds = std::chrono::duration<double>(result.device_time).count();
  self->send(self->state.telemetry, sample_a::value, step_sample_ptr{std::move(sample)});
}

void on_result(self_pointer self, const step_result& result) {
  auto& state = self->state;
  ++state.steps;
  state.sent.pop_front();
  state.deliver(state.scheduler->complete(result, self->clock().now()));
  pump(self);
  report(self, result);
}

// Once for each executor: its other plans, and what it still answers, belong to the past.
void lose_executor(self_pointer self) {
  auto& state = self->state;
  ++state.executors;
  state.executor = nullptr;
  state.sent.clear();
  state.deliver(state.scheduler->requeue_all({error_code::internal, "the model crashed on this request", ""}));
  self->send(state.telemetry, sample_a::value, step_sample_ptr{state.sample()});
}

// Waits without a limit: a step may take long, and the death of the executor is an answer too.
void send_plan(self_pointer self, batch_plan&& next) {
  auto& state = self->state;
  state.sent.push_back(self->clock().now());
  auto plan = std::make_shared<const batch_plan>(std::move(next));
  self->request(state.executor, caf::infinite, step_a::value, plan)
      .then(
          [self, from = state.executors](const step_result_ptr& result) {
            if (from == self->state.executors) on_result(self, *result);
          },
          [self, from = state.executors](const caf::error&) {
            if (from == self->state.executors) lose_executor(self);
          });
}

void exchange_blocks(self_pointer self) {
  auto& scheduler = *self->state.scheduler;
  if (auto surplus = scheduler.take_surplus(); !surplus.empty())
    self->send(self->state.memory, release_a::value,
               std::make_shared<const std::vector<block_id>>(std::move(surplus)));
  const auto wanted = scheduler.take_lease_request();
  if (wanted == 0) return;
  self->request(self->state.memory, peer_timeout, lease_a::value, wanted)
      .then(
          [self](const block_list_ptr& blocks) {
            self->state.scheduler->grant(*blocks);
            pump(self);
          },
          [self, asked = self->state.memory](const caf::error&) {
            self->state.scheduler->lease_failed();
            if (asked != self->state.memory) pump(self);
          });
}

// As many plans as may be in flight, then blocks for the next.
void pump(self_pointer self) {
  while (self->state.executor) {
    auto plan = self->state.scheduler->plan(self->clock().now());
    if (!plan) break;
    send_plan(self, std::move(*plan));
  }
  exchange_blocks(self);
}

admission_ptr submit(self_pointer self, const sequence_request_ptr& sequence, const request_actor& owner) {
  auto taken = self->state.scheduler->submit(sequence, self->clock().now());
  if (taken) {
    self->state.owners.emplace(sequence->id, owner);
    pump(self);
  }
  return std::make_shared<const result<void>>(std::move(taken));
}

void follow(self_pointer self, const node_peers& peers) {
  auto& state = self->state;
  state.telemetry = peers.telemetry;
  if (peers.memory != state.memory) {
    state.memory = peers.memory;
    self->send(state.memory, adopt_a::value,
               std::make_shared<const std::vector<block_id>>(state.scheduler->held_blocks()));
  }
  if (peers.executor != state.executor) {
    if (state.executor) lose_executor(self);
    state.executor = peers.executor;
  }
  pump(self);
}

std::uint64_t oldest_step_ms(const batcher_state& state, steady_time now) {
  if (state.sent.empty()) return 0;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now - state.sent.front()).count());
}

}  // namespace

batcher_actor::behavior_type batcher(self_pointer self, const node_peers& peers,
                                     const schedule::scheduler_limits& limits) {
  keep_crash_text(self);
  auto& state = self->state;
  state.scheduler = std::make_unique<schedule::batch_scheduler>(limits);
  state.blocks_total = limits.total_blocks;
  state.executor = peers.executor;
  state.memory = peers.memory;
  state.telemetry = peers.telemetry;
  return {
      [self](inspect_a) { return make_report(self, self->state.figures()); },
      [self](submit_a, const sequence_request_ptr& sequence, const request_actor& owner) {
        return submit(self, sequence, owner);
      },
      [self](cancel_a, sequence_id id) {
        self->state.owners.erase(id);
        if (self->state.scheduler->cancel(id)) pump(self);
      },
      [self](stuck_a) { return oldest_step_ms(self->state, self->clock().now()); },
      [self](view_a) {
        return std::make_shared<const std::vector<schedule::running_sequence>>(self->state.scheduler->running());
      },
      [self](peers_a, const node_peers_ptr& now) { follow(self, *now); },
  };
}

}  // namespace neap::actors
