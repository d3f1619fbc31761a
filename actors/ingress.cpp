#include "actors/ingress.hpp"

#include "actors/crash_text.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {
namespace {

using self_pointer = watched_self<ingress_actor, ingress_state>;

void refuse(self_pointer self, const generation_request& request, token_sink& sink, error reason) {
  auto outcome = std::make_shared<request_outcome>();
  outcome->id = request.id;
  outcome->tag = request.tag;
  outcome->started = false;
  outcome->refused = is_retryable(reason.code);
  outcome->code = reason.code;
  outcome->reason = finish_reason::failed;
  self->send(self->state.peers->telemetry, sample_a::value, request_outcome_ptr{std::move(outcome)});
  sink.push(std::move(reason));
}

void take(self_pointer self, const request_spawner& spawn, std::size_t max_live,
          const generation_request_ptr& request, const token_sink_ptr& sink) {
  auto& state = self->state;
  if (state.draining)
    return refuse(self, *request, *sink,
                  {error_code::draining, "the server is shutting down", ""});
  if (request->choices() > max_live)
    return refuse(self, *request, *sink,
                  {error_code::invalid_request,
                   std::to_string(request->choices()) + " answers are more than the " +
                       std::to_string(max_live) + " this server holds at once",
                   request->choices_per_prompt > 1 ? "n" : "prompt"});
  if (state.live.size() >= max_live)
    return refuse(self, *request, *sink,
                  {error_code::server_overloaded,
                   "the server already has " + std::to_string(max_live) + " requests; try again later", ""});
  self->send(state.peers->telemetry, start_a::value);
  const auto first = state.next_sequence;
  state.next_sequence += request->choices();
  state.live.emplace(request->id, spawn(ingress_actor{self}, state.peers, request, sink, first));
}

void finish_drain(ingress_state& state) {
  if (!state.draining || !state.live.empty()) return;
  for (auto& promise : state.drained) promise.deliver(!state.cut_off);
  state.drained.clear();
}

void fail_all(self_pointer self, const error_ptr& reason) {
  for (const auto& [id, request] : self->state.live) self->send(request, fail_a::value, reason);
}

caf::typed_response_promise<bool> drain(self_pointer self, std::uint64_t limit_ms) {
  auto promise = self->make_response_promise<bool>();
  self->state.draining = true;
  self->state.drained.push_back(promise);
  self->delayed_send(self, std::chrono::milliseconds{limit_ms}, tick_a::value);
  finish_drain(self->state);
  return promise;
}

}  // namespace

ingress_actor::behavior_type ingress(self_pointer self, const request_spawner& spawn,
                                     const node_peers_ptr& peers, std::size_t max_live,
                                     sequence_id first_sequence) {
  keep_crash_text(self);
  self->state.peers = peers;
  self->state.next_sequence = first_sequence;
  return {
      [self](inspect_a) {
        return make_report(self, {field("live_requests", self->state.live.size()),
                                  field("draining", static_cast<int>(self->state.draining))});
      },
      [=](submit_a, const generation_request_ptr& request, const token_sink_ptr& sink) {
        take(self, spawn, max_live, request, sink);
      },
      [self](cancel_a, request_id id) {
        const auto found = self->state.live.find(id);
        if (found != self->state.live.end())
          self->send<caf::message_priority::high>(found->second, cancel_a::value);
      },
      [self](view_a) {
        auto out = std::make_shared<std::vector<request_actor>>();
        for (const auto& [id, request] : self->state.live) out->push_back(request);
        return request_list_ptr{std::move(out)};
      },
      [self](done_a, request_id id) {
        self->state.live.erase(id);
        finish_drain(self->state);
      },
      [self](fail_a, const error_ptr& reason) { fail_all(self, reason); },
      [self](drain_a, std::uint64_t limit_ms) { return drain(self, limit_ms); },
      [self](tick_a) {
        if (self->state.live.empty()) return;
        self->state.cut_off = true;
        fail_all(self, std::make_shared<const error>(
                           error{error_code::draining, "the server is shutting down", ""}));
      },
      [self](peers_a, const node_peers_ptr& now) {
        self->state.peers = now;
        for (const auto& [id, request] : self->state.live) self->send(request, peers_a::value, now);
      },
  };
}

}  // namespace neap::actors
