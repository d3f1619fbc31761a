#include "actors/request.hpp"

#include "actors/request_outcome.hpp"
#include "actors/timeouts.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>

namespace neap::actors {
namespace {

using self_pointer = request_actor::stateful_pointer<request_actor_state>;
using peers_ptr = std::shared_ptr<const request_peers>;

// High priority, so that it overtakes submissions of others; but never one of its own.
void cancel_sequence(self_pointer self, const peers_ptr& peers, sequence_id id) {
  if (self->state.request->all_admitted())
    self->send<caf::message_priority::high>(peers->batcher, cancel_a::value, id);
  else
    self->send(peers->batcher, cancel_a::value, id);
}

// Sends what is ready; after the end event tells everybody and leaves.
void flush(self_pointer self, const peers_ptr& peers) {
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
  for (const auto id : state.request->open_sequences()) cancel_sequence(self, peers, id);
  self->send(peers->telemetry, sample_a::value,
             outcome_of(*state.request, self->clock().now(), refused, code));
  self->send(peers->ingress, done_a::value, state.request->request().id);
  self->quit();
}

void fail(self_pointer self, const peers_ptr& peers, error reason) {
  self->state.request->fail(std::move(reason));
  flush(self, peers);
}

error lost_peer(const char* name) {
  return {error_code::internal, std::string{name} + " did not answer", ""};
}

void submit(self_pointer self, const peers_ptr& peers, const sequence_request_ptr& sequence) {
  self->request(peers->batcher, peer_timeout, submit_a::value, sequence, request_actor{self})
      .then(
          [self, peers](const admission_ptr& taken) {
            if (!*taken) return fail(self, peers, taken->error());
            self->state.request->admitted();
            flush(self, peers);
          },
          [self, peers](const caf::error&) { fail(self, peers, lost_peer("batcher")); });
}

void classify(self_pointer self, const peers_ptr& peers, const sequence_request_ptr& sequence,
              std::size_t choice) {
  self->request(peers->classifier, peer_timeout, classify_a::value, sequence)
      .then(
          [self, peers, choice](const sequence_request_ptr& classified) {
            self->state.request->classified(choice, classified->classification);
            submit(self, peers, classified);
          },
          [self, peers](const caf::error&) { fail(self, peers, lost_peer("classifier")); });
}

void begin(self_pointer self, const peers_ptr& peers,
           const result<std::vector<request::encoded_prompt>>& encoded, sequence_id first_sequence) {
  if (!encoded) return fail(self, peers, encoded.error());
  auto sequences = self->state.request->begin(*encoded, peers->limits, first_sequence);
  if (!sequences) return fail(self, peers, std::move(sequences).error());
  for (std::size_t i = 0; i < sequences->size(); ++i)
    classify(self, peers, std::make_shared<const sequence_request>(std::move((*sequences)[i])), i);
}

void apply(self_pointer self, const peers_ptr& peers, const sequence_update_list& updates) {
  std::vector<sequence_id> cancels;
  self->state.request->apply(updates, self->clock().now(), cancels);
  for (const auto id : cancels) cancel_sequence(self, peers, id);
  flush(self, peers);
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
  caf::anon_send(peers->ingress, done_a::value, id);
}

request_actor::behavior_type request_behavior(self_pointer self, const peers_ptr& peers,
                                              const generation_request_ptr& request,
                                              const token_sink_ptr& sink, sequence_id first_sequence) {
  self->state.peers = peers;
  self->state.request = std::make_unique<request::request_state>(request, *peers->vocabulary);
  self->state.sink = sink;
  if (request->deadline) {
    // The client's time began at arrival, before any queue in front of this actor.
    const auto passed = std::max(self->clock().now() - request->arrival, steady_duration{});
    const auto left = std::max<steady_duration>(*request->deadline - passed, steady_duration{});
    self->delayed_send(self, left, deadline_a::value);
  }
  const auto job = std::make_shared<const encode_job>(encode_job{request, self->state.abandoned});
  self->request(peers->encoder, peer_timeout, encode_a::value, job)
      .then([self, peers, first_sequence](
                const encoded_prompts_ptr& encoded) { begin(self, peers, *encoded, first_sequence); },
            [self, peers](const caf::error&) { fail(self, peers, lost_peer("text_encoder")); });
  return {
      [self](inspect_a) {
        const auto& state = *self->state.request;
        return make_report(self, {field("request", state.request().id),
                                  field("open_sequences", state.open_sequences().size())});
      },
      [self, peers](update_a, const sequence_update_list_ptr& updates) { apply(self, peers, *updates); },
      [self, peers](cancel_a) {
        fail(self, peers, {error_code::cancelled, "the client went away", ""});
      },
      [self, peers](fail_a, const error_ptr& reason) { fail(self, peers, *reason); },
      [self, peers](deadline_a) {
        fail(self, peers, {error_code::deadline_exceeded, "the deadline has passed", "deadline_ms"});
      },
  };
}

}  // namespace neap::actors
