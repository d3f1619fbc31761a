#include "actors/gateway_bridge.hpp"

#include "actors/timeouts.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <utility>

namespace neap::actors {
namespace {

// Runs one request from a short-lived actor, since only actors get answers.
template <class Request, class Reply>
void ask(caf::actor_system& system, Request request, Reply reply) {
  system.spawn([request = std::move(request), reply = std::move(reply)](caf::event_based_actor* self) {
    request(self, reply);
  });
}

error lost() { return {error_code::internal, "an actor did not answer", ""}; }

}  // namespace

gateway_bridge::gateway_bridge(caf::actor_system& system, gateway_peers peers,
                               std::vector<served_model> models, readiness_flag ready)
    : system_(system), peers_(std::move(peers)), models_(std::move(models)), ready_(std::move(ready)) {}

// A node that lost an actor may have lost ingress: nobody would answer.
void gateway_bridge::submit(generation_request request, token_sink_ptr sink) {
  if (ready_->load() == readiness::failed)
    return sink->push(error{error_code::internal, "the server lost one of its actors; restart it", ""});
  caf::anon_send(peers_.ingress, submit_a::value,
                 generation_request_ptr{std::make_shared<const generation_request>(std::move(request))},
                 std::move(sink));
}

void gateway_bridge::cancel(request_id id) { caf::anon_send(peers_.ingress, cancel_a::value, id); }

void gateway_bridge::tokenize(prompt source, reply_callback<std::vector<token_id>> reply) {
  const prompt_ptr shared = std::make_shared<const prompt>(std::move(source));
  ask(
      system_,
      [encoder = peers_.encoder, shared](caf::event_based_actor* self, const auto& answer) {
        self->request(encoder, peer_timeout, tokenize_a::value, shared)
            .then([answer](const tokens_result_ptr& x) { answer(*x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

void gateway_bridge::detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) {
  const token_vector_ptr shared = std::make_shared<const std::vector<token_id>>(std::move(tokens));
  ask(
      system_,
      [encoder = peers_.encoder, shared](caf::event_based_actor* self, const auto& answer) {
        self->request(encoder, peer_timeout, detok_a::value, shared)
            .then([answer](const text_result_ptr& x) { answer(*x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

void gateway_bridge::metrics(reply_callback<std::string> reply) {
  ask(
      system_,
      [telemetry = peers_.telemetry](caf::event_based_actor* self, const auto& answer) {
        self->request(telemetry, peer_timeout, metrics_a::value)
            .then([answer](const std::string& x) { answer(x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

}  // namespace neap::actors
