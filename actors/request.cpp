#include "actors/request.hpp"

#include "actors/crash_text.hpp"
#include "actors/request_outcome.hpp"
#include "actors/request_stages.hpp"
#include "actors/watched_actor.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace neap::actors {
namespace {

// High priority, so that it overtakes submissions of others; but never one of its own.
void cancel_sequence(request_self self, sequence_id id) {
  const auto& batcher = self->state.peers->batcher;
  if (self->state.request->all_admitted())
    self->send<caf::message_priority::high>(batcher, cancel_a::value, id);
  else
    self->send(batcher, cancel_a::value, id);
}

}  // namespace

// Sends what is ready; after the end event tells everybody and leaves.
void flush_request(request_self self) {
  auto& state = self->state;
  if (state.over) return;
  auto code = error_code::internal;
  bool refused = false;
  auto events = state.request->take_events();
  for (auto& event : events) {
    if (const auto* failure = std::get_if<error>(&event)) {
      code = failure->code;
      refused = events.size() == 1 && is_retryable(code);
    }
    state.sink->push(std::move(event));
  }
  if (!state.request->finished()) return;
  state.over = true;
  state.abandoned->store(true);
  for (const auto id : state.request->open_sequences()) cancel_sequence(self, id);
  self->send(state.peers->telemetry, sample_a::value,
             outcome_of(*state.request, self->clock().now(), refused, code));
  self->send(state.owner, done_a::value, state.request->request().id);
  self->quit();
}

void fail_request(request_self self, error reason) {
  self->state.request->fail(std::move(reason));
  flush_request(self);
}

namespace {

void apply(request_self self, const sequence_update_list& updates) {
  std::vector<sequence_id> cancels;
  self->state.request->apply(updates, self->clock().now(), cancels);
  for (const auto id : cancels) cancel_sequence(self, id);
  flush_request(self);
}

// What a dead batcher had taken is lost with it.
void follow(request_self self, const node_peers_ptr& peers) {
  auto& state = self->state;
  const bool new_batcher = peers->batcher != state.peers->batcher;
  state.peers = peers;
  if (new_batcher && state.request->any_admitted())
    return fail_request(self, {error_code::internal, "the server lost its batcher", ""});
  for (auto& stage : std::exchange(state.again, {})) stage();
}

void watch_owner(request_self self) {
  self->monitor(self->state.owner);
  static_cast<caf::scheduled_actor*>(self)->set_down_handler([self](const caf::down_msg&) {
    fail_request(self, {error_code::internal, "the server lost its ingress", ""});
  });
}

void watch_deadline(request_self self, const generation_request& request) {
  if (!request.deadline) return;
  // The client's time began at arrival, before any queue in front of this actor.
  const auto passed = std::max(self->clock().now() - request.arrival, steady_duration{});
  self->delayed_send(self, std::max<steady_duration>(*request.deadline - passed, steady_duration{}),
                     deadline_a::value);
}

}  // namespace

request_actor_state::~request_actor_state() {
  abandoned->store(true);
  if (over || request == nullptr) return;
  const auto id = request->request().id;
  const auto open = request->open_sequences();
  request->fail({error_code::internal, "the server lost this request", ""});
  for (auto& event : request->take_events()) sink->push(std::move(event));
  for (const auto sequence : open) caf::anon_send(peers->batcher, cancel_a::value, sequence);
  caf::anon_send(peers->telemetry, sample_a::value, lost_outcome(*request));
  caf::anon_send(owner, done_a::value, id);
}

request_actor::behavior_type request_behavior(request_self self, const ingress_actor& owner,
                                              const node_peers_ptr& peers, const request_setting_ptr& setting,
                                              const generation_request_ptr& request,
                                              const token_sink_ptr& sink, sequence_id first_sequence) {
  keep_crash_text(self);
  auto& state = self->state;
  state.owner = owner;
  state.peers = peers;
  state.setting = setting;
  state.request = std::make_unique<request::request_state>(request, *setting->vocabulary);
  state.sink = sink;
  watch_owner(self);
  watch_deadline(self, *request);
  encode_request(self, std::make_shared<const encode_job>(encode_job{request, state.abandoned}), first_sequence);
  return {
      [self](inspect_a) {
        const auto& now = *self->state.request;
        return make_report(self, {field("request", now.request().id),
                                  field("open_sequences", now.open_sequences().size())});
      },
      [self](update_a, const sequence_update_list_ptr& updates) { apply(self, *updates); },
      [self](cancel_a) { fail_request(self, {error_code::cancelled, "the client went away", ""}); },
      [self](fail_a, const error_ptr& reason) { fail_request(self, *reason); },
      [self](deadline_a) {
        fail_request(self, {error_code::deadline_exceeded, "the deadline has passed", "deadline_ms"});
      },
      [self](peers_a, const node_peers_ptr& now) { follow(self, now); },
      [self](view_a) {
        return std::make_shared<const request_view>(self->state.request->view(self->clock().now()));
      },
  };
}

}  // namespace neap::actors
