#include "actors/request.hpp"

#include "actors/crash_text.hpp"
#include "actors/request_outcome.hpp"
#include "actors/timeouts.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace neap::actors {
namespace {

using self_pointer = request_actor::stateful_pointer<request_actor_state>;

// High priority, so that it overtakes submissions of others; but never one of its own.
void cancel_sequence(self_pointer self, sequence_id id) {
  const auto& batcher = self->state.peers->batcher;
  if (self->state.request->all_admitted())
    self->send<caf::message_priority::high>(batcher, cancel_a::value, id);
  else
    self->send(batcher, cancel_a::value, id);
}

// Sends what is ready; after the end event tells everybody and leaves.
void flush(self_pointer self) {
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

void fail(self_pointer self, error reason) {
  self->state.request->fail(std::move(reason));
  flush(self);
}

error lost_peer(const char* name) {
  return {error_code::internal, std::string{name} + " did not answer", ""};
}

constexpr std::uint32_t max_repeats = 3;

// The peer that had `stage` in hand is gone, unless it was only slow.
void repeat(self_pointer self, const caf::error& reason, const char* peer, bool has_successor,
            std::function<void()> stage) {
  if (reason == caf::sec::request_timeout || ++self->state.repeats > max_repeats)
    return fail(self, lost_peer(peer));
  if (has_successor) return stage();
  self->state.again.push_back(std::move(stage));
}

void submit(self_pointer self, const sequence_request_ptr& sequence) {
  const auto batcher = self->state.peers->batcher;
  self->request(batcher, peer_timeout, submit_a::value, sequence, request_actor{self})
      .then(
          [self](const admission_ptr& taken) {
            if (!*taken) return fail(self, taken->error());
            self->state.request->admitted();
            flush(self);
          },
          [self, sequence, batcher](const caf::error& reason) {
            repeat(self, reason, "batcher", batcher != self->state.peers->batcher,
                   [self, sequence] { submit(self, sequence); });
          });
}

void classify(self_pointer self, const sequence_request_ptr& sequence, std::size_t choice) {
  const auto classifier = self->state.peers->classifier;
  self->request(classifier, peer_timeout, classify_a::value, sequence)
      .then(
          [self, choice](const sequence_request_ptr& classified) {
            self->state.request->classified(choice, classified->classification);
            submit(self, classified);
          },
          [self, sequence, choice, classifier](const caf::error& reason) {
            repeat(self, reason, "classifier", classifier != self->state.peers->classifier,
                   [self, sequence, choice] { classify(self, sequence, choice); });
          });
}

void begin(self_pointer self, const result<std::vector<request::encoded_prompt>>& encoded,
           sequence_id first_sequence) {
  auto& state = self->state;
  if (!encoded) return fail(self, encoded.error());
  auto sequences = state.request->begin(*encoded, state.setting->limits, first_sequence);
  if (!sequences) return fail(self, std::move(sequences).error());
  for (std::size_t i = 0; i < sequences->size(); ++i)
    classify(self, std::make_shared<const sequence_request>(std::move((*sequences)[i])), i);
}

void encode(self_pointer self, const encode_job_ptr& job, sequence_id first_sequence) {
  const auto encoder = self->state.peers->encoder;
  self->request(encoder, peer_timeout, encode_a::value, job)
      .then([self, first_sequence](
                const encoded_prompts_ptr& encoded) { begin(self, *encoded, first_sequence); },
            [self, job, first_sequence, encoder](const caf::error& reason) {
              repeat(self, reason, "text_encoder", encoder != self->state.peers->encoder,
                     [self, job, first_sequence] { encode(self, job, first_sequence); });
            });
}

void apply(self_pointer self, const sequence_update_list& updates) {
  std::vector<sequence_id> cancels;
  self->state.request->apply(updates, self->clock().now(), cancels);
  for (const auto id : cancels) cancel_sequence(self, id);
  flush(self);
}

// What a dead batcher had taken is lost with it.
void follow(self_pointer self, const node_peers_ptr& peers) {
  auto& state = self->state;
  const bool new_batcher = peers->batcher != state.peers->batcher;
  state.peers = peers;
  if (new_batcher && state.request->any_admitted())
    return fail(self, {error_code::internal, "the server lost its batcher", ""});
  for (auto& stage : std::exchange(state.again, {})) stage();
}

void watch_owner(self_pointer self) {
  self->monitor(self->state.owner);
  static_cast<caf::scheduled_actor*>(self)->set_down_handler([self](const caf::down_msg&) {
    fail(self, {error_code::internal, "the server lost its ingress", ""});
  });
}

void watch_deadline(self_pointer self, const generation_request& request) {
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

request_actor::behavior_type request_behavior(self_pointer self, const ingress_actor& owner,
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
  encode(self, std::make_shared<const encode_job>(encode_job{request, state.abandoned}), first_sequence);
  return {
      [self](inspect_a) {
        const auto& now = *self->state.request;
        return make_report(self, {field("request", now.request().id),
                                  field("open_sequences", now.open_sequences().size())});
      },
      [self](update_a, const sequence_update_list_ptr& updates) { apply(self, *updates); },
      [self](cancel_a) { fail(self, {error_code::cancelled, "the client went away", ""}); },
      [self](fail_a, const error_ptr& reason) { fail(self, *reason); },
      [self](deadline_a) {
        fail(self, {error_code::deadline_exceeded, "the deadline has passed", "deadline_ms"});
      },
      [self](peers_a, const node_peers_ptr& now) { follow(self, now); },
  };
}

}  // namespace neap::actors
