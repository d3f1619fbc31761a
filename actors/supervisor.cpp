#include "actors/supervisor.hpp"

#include "actors/crash_text.hpp"
#include "actors/timeouts.hpp"
#include "actors/watched_actor.hpp"

#include <caf/typed_response_promise.hpp>

#include <system_error>

namespace neap::actors {
namespace {

using self_pointer = watched_self<supervisor_actor, supervisor_state>;

void give_up(self_pointer self, const std::string& why) {
  auto& state = self->state;
  if (state.given_up) return;
  state.given_up = true;
  state.publish_readiness();
  state.log("giving up: " + why);
  self->send(state.peers->ingress, fail_a::value,
             std::make_shared<const error>(error{error_code::internal, "the server failed: " + why, ""}));
  if (state.setting->on_fatal) state.setting->on_fatal(why);
}

void on_loss(self_pointer self, std::size_t index, const std::string& reason) {
  auto& state = self->state;
  if (state.given_up) return;
  const auto& name = state.setting->table[index].name;
  state.down[index] = true;
  state.publish_readiness();
  const auto delay = state.policy->lost(self->clock().now());
  if (!delay) return give_up(self, name + " crashed too often (" + reason + ")");
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*delay).count();
  state.log(name + " crashed (" + reason + "); starting it again in " + std::to_string(ms) + " ms");
  self->delayed_send(self, *delay, restart_a::value, std::uint64_t{index});
}

void on_down(self_pointer self, const caf::down_msg& message) {
  const auto& state = self->state;
  for (std::size_t i = 0; i < state.down.size(); ++i)
    if (!state.down[i] && state.setting->table[i].handle(*state.peers) == message.source)
      return on_loss(self, i, crash_text(message.reason));
}

// Those who hold handles of others.
void tell_everybody(self_pointer self) {
  const auto& peers = self->state.peers;
  self->send(peers->batcher, peers_a::value, peers);
  self->send(peers->ingress, peers_a::value, peers);
  self->send(peers->timer, peers_a::value, peers);
}

void restart(self_pointer self, std::size_t index) {
  auto& state = self->state;
  if (state.given_up) return;
  const auto& entry = state.setting->table[index];
  auto next = std::make_shared<node_peers>(*state.peers);
  try {
    entry.start(*next);
  } catch (const std::system_error& reason) {
    return on_loss(self, index, reason.what());
  }
  ++state.restarts[index];
  next->restarts[entry.name] = state.restarts[index];
  state.peers = next;
  state.setting->peers->store(state.peers);
  self->monitor(entry.handle(*state.peers));
  state.down[index] = false;
  tell_everybody(self);
  // A new ingress knows nothing of the drain that its predecessor began.
  if (state.draining && entry.name == "ingress")
    self->request(state.peers->ingress, peer_timeout, drain_a::value, std::uint64_t{0}).then([](bool) {});
  state.publish_readiness();
}

void look_for_a_stuck_step(self_pointer self) {
  const auto limit = self->state.setting->step_limit;
  self->delayed_send(self, limit / 4, tick_a::value);
  const auto note = [self, limit](std::uint64_t ms) {
    auto& state = self->state;
    const bool stuck = ms > static_cast<std::uint64_t>(limit.count());
    if (stuck == state.stuck) return;
    state.stuck = stuck;
    state.log(stuck ? "the executor is stuck: a step has taken " + std::to_string(ms) + " ms so far"
                     : std::string{"the executor goes on: the stuck step ended"});
    state.publish_readiness();
  };
  self->request(self->state.peers->batcher, peer_timeout, stuck_a::value)
      .then(note, [](const caf::error&) {});
}

caf::typed_response_promise<bool> drain(self_pointer self, std::uint64_t limit_ms) {
  self->state.draining = true;
  self->state.publish_readiness();
  auto promise = self->make_response_promise<bool>();
  self->request(self->state.peers->ingress, caf::infinite, drain_a::value, limit_ms)
      .then([promise](bool complete) mutable { promise.deliver(complete); },
            [promise](const caf::error&) mutable { promise.deliver(false); });
  return promise;
}

}  // namespace

supervisor_actor::behavior_type supervisor(self_pointer self,
                                           const std::shared_ptr<const supervision>& setting,
                                           const node_peers_ptr& peers) {
  keep_crash_text(self);
  auto& state = self->state;
  state.setting = setting;
  state.peers = peers;
  state.policy = std::make_unique<supervise::restart_policy>(setting->limits);
  state.down.resize(setting->table.size(), false);
  state.restarts.resize(setting->table.size(), 0);
  for (const auto& entry : setting->table) self->monitor(entry.handle(*peers));
  auto* scheduled = static_cast<caf::scheduled_actor*>(self);
  scheduled->set_down_handler([self](const caf::down_msg& message) { on_down(self, message); });
  scheduled->set_exit_handler([self](const caf::exit_msg& message) {
    self->state.stopping = true;
    self->quit(message.reason);
  });
  tell_everybody(self);
  state.publish_readiness();
  if (setting->step_limit.count() > 0) self->delayed_send(self, setting->step_limit / 4, tick_a::value);
  return {
      [self](inspect_a) { return make_report(self, self->state.figures()); },
      [self](watch_a) { return self->state.names(); },
      [self](drain_a, std::uint64_t limit_ms) { return drain(self, limit_ms); },
      [self](restart_a, std::uint64_t index) { restart(self, index); },
      [self](tick_a) { look_for_a_stuck_step(self); },
  };
}

}  // namespace neap::actors
