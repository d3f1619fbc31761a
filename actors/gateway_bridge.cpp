#include "actors/gateway_bridge.hpp"

#include "actors/ending_sink.hpp"
#include "actors/survey.hpp"
#include "actors/timeouts.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <utility>

namespace neap::actors {
namespace {

error lost() { return {error_code::internal, "an actor did not answer", ""}; }

// Runs one request from a short-lived actor, since only actors get answers.
template <class Request, class Reply>
void ask(caf::actor_system& system, const published_peers& published, Request request, Reply reply) {
  const auto peers = published->load();
  if (peers == nullptr) return reply(lost());
  system.spawn([peers, request = std::move(request), reply = std::move(reply)](caf::event_based_actor* self) {
    request(self, *peers, reply);
  });
}

}  // namespace

gateway_bridge::gateway_bridge(caf::actor_system& system, const node_actors& node,
                               std::vector<served_model> models)
    : system_(system),
      supervisor_(node.supervisor),
      peers_(node.peers),
      models_(std::move(models)),
      ready_(node.ready) {}

void gateway_bridge::submit(generation_request request, token_sink_ptr sink) {
  const auto peers = peers_->load();
  if (peers == nullptr) return sink->push(lost());
  caf::anon_send(peers->ingress, submit_a::value,
                 generation_request_ptr{std::make_shared<const generation_request>(std::move(request))},
                 token_sink_ptr{std::make_shared<ending_sink>(std::move(sink))});
}

void gateway_bridge::cancel(request_id id) {
  if (const auto peers = peers_->load()) caf::anon_send(peers->ingress, cancel_a::value, id);
}

void gateway_bridge::tokenize(prompt source, reply_callback<std::vector<token_id>> reply) {
  const prompt_ptr shared = std::make_shared<const prompt>(std::move(source));
  ask(
      system_, peers_,
      [shared](caf::event_based_actor* self, const node_peers& peers, const auto& answer) {
        self->request(peers.encoder, peer_timeout, tokenize_a::value, shared)
            .then([answer](const tokens_result_ptr& x) { answer(*x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

void gateway_bridge::detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) {
  const token_vector_ptr shared = std::make_shared<const std::vector<token_id>>(std::move(tokens));
  ask(
      system_, peers_,
      [shared](caf::event_based_actor* self, const node_peers& peers, const auto& answer) {
        self->request(peers.encoder, peer_timeout, detok_a::value, shared)
            .then([answer](const text_result_ptr& x) { answer(*x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

void gateway_bridge::metrics(reply_callback<std::string> reply) {
  ask(
      system_, peers_,
      [](caf::event_based_actor* self, const node_peers& peers, const auto& answer) {
        self->request(peers.telemetry, peer_timeout, metrics_a::value)
            .then([answer](const std::string& x) { answer(x); },
                  [answer](const caf::error&) { answer(lost()); });
      },
      std::move(reply));
}

void gateway_bridge::inspect_actors(reply_callback<std::vector<actor_view>> reply) {
  ask(
      system_, peers_,
      [supervisor = supervisor_](caf::event_based_actor* self, const node_peers& peers, const auto& answer) {
        survey_actors(self, peers, supervisor, answer);
      },
      std::move(reply));
}

void gateway_bridge::inspect_requests(reply_callback<std::vector<request_view>> reply) {
  ask(
      system_, peers_,
      [](caf::event_based_actor* self, const node_peers& peers, const auto& answer) {
        survey_requests(self, peers, answer);
      },
      std::move(reply));
}

}  // namespace neap::actors
