#include "actors/request_stages.hpp"

#include "actors/timeouts.hpp"
#include "actors/watched_actor.hpp"

#include <caf/sec.hpp>

#include <utility>

namespace neap::actors {
namespace {

error lost_peer(const char* name) {
  return {error_code::internal, std::string{name} + " did not answer", ""};
}

constexpr std::uint32_t max_repeats = 3;

// The peer that had `stage` in hand is gone, unless it was only slow.
void repeat(request_self self, const caf::error& reason, const char* peer, bool has_successor,
            std::function<void()> stage) {
  if (reason == caf::sec::request_timeout || ++self->state.repeats > max_repeats)
    return fail_request(self, lost_peer(peer));
  if (has_successor) return stage();
  self->state.again.push_back(std::move(stage));
}

void submit(request_self self, const sequence_request_ptr& sequence) {
  const auto batcher = self->state.peers->batcher;
  self->request(batcher, peer_timeout, submit_a::value, sequence, request_actor{self})
      .then(
          [self](const admission_ptr& taken) {
            if (!*taken) return fail_request(self, taken->error());
            self->state.request->admitted();
            flush_request(self);
          },
          [self, sequence, batcher](const caf::error& reason) {
            repeat(self, reason, "batcher", batcher != self->state.peers->batcher,
                   [self, sequence] { submit(self, sequence); });
          });
}

void classify(request_self self, const sequence_request_ptr& sequence, std::size_t choice) {
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

void begin(request_self self, const result<std::vector<request::encoded_prompt>>& encoded,
           sequence_id first_sequence) {
  auto& state = self->state;
  if (!encoded) return fail_request(self, encoded.error());
  auto sequences = state.request->begin(*encoded, state.setting->limits, first_sequence);
  if (!sequences) return fail_request(self, std::move(sequences).error());
  for (std::size_t i = 0; i < sequences->size(); ++i)
    classify(self, std::make_shared<const sequence_request>(std::move((*sequences)[i])), i);
}

}  // namespace

void encode_request(request_self self, const encode_job_ptr& job, sequence_id first_sequence) {
  const auto encoder = self->state.peers->encoder;
  self->request(encoder, peer_timeout, encode_a::value, job)
      .then([self, first_sequence](
                const encoded_prompts_ptr& encoded) { begin(self, *encoded, first_sequence); },
            [self, job, first_sequence, encoder](const caf::error& reason) {
              repeat(self, reason, "text_encoder", encoder != self->state.peers->encoder,
                     [self, job, first_sequence] { encode_request(self, job, first_sequence); });
            });
}

}  // namespace neap::actors
