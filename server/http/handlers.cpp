#include "server/http/handlers.hpp"

#include "server/api/node_view_bodies.hpp"
#include "server/api/openapi.hpp"
#include "server/api/quote.hpp"
#include "server/api/service_bodies.hpp"
#include "server/http/embedding_answer.hpp"
#include "server/http/generation_stream.hpp"
#include "server/http/head_check.hpp"
#include "server/http/route_table.hpp"

#include <utility>

namespace neap::http {
namespace {

constexpr std::string_view model_prefix = "/v1/models/";

void respond_json(exchange& x, std::string body) {
  response answer;
  answer.body = std::move(body);
  x.respond(answer);
}

// A callback for the gateway that brings its answer to the io thread and writes it.
template <class T, class Write>
reply_callback<T> reply_to(const exchange_ptr& x, Write write) {
  return [x, write](result<T> outcome) {
    x->post([x, write, outcome = std::move(outcome)] {
      if (outcome) {
        write(*x, *outcome);
      } else {
        x->respond(error_response(outcome.error()));
      }
    });
  };
}

void handle_generation(service& context, const exchange_ptr& x, api::endpoint where) {
  auto request = api::parse_request(where, x->body(), context.validation());
  if (!request) return x->respond(error_response(request.error()));
  limit_tier(request->generation.tag, x->from());
  start_generation(context, x, std::move(*request));
}

}  // namespace

void handle_chat(service& context, const exchange_ptr& x) {
  handle_generation(context, x, api::endpoint::chat);
}

void handle_completions(service& context, const exchange_ptr& x) {
  handle_generation(context, x, api::endpoint::completions);
}

void handle_responses(service& context, const exchange_ptr& x) {
  handle_generation(context, x, api::endpoint::responses);
}

void handle_embeddings(service& context, const exchange_ptr& x) {
  auto request = api::parse_embeddings(x->body(), context.validation());
  if (!request) return x->respond(error_response(request.error()));
  limit_tier(request->generation.tag, x->from());
  start_embedding(context, x, std::move(*request));
}

void handle_models(service& context, const exchange_ptr& x) {
  respond_json(*x, api::models_body(context.gateway.models()));
}

void handle_model(service& context, const exchange_ptr& x) {
  const auto name = percent_decoded(request_path(x->head()).substr(model_prefix.size()));
  for (const auto& model : context.gateway.models())
    if (model.name == name || name == "default") return respond_json(*x, api::model_body(model));
  x->respond(error_response({error_code::model_not_found,
                             "the model " + api::quote(name) + " is not served here; GET /v1/models lists what is",
                             "model"}));
}

void handle_tokenize(service& context, const exchange_ptr& x) {
  const auto validation = context.validation();
  auto request = api::parse_tokenize(x->body(), validation);
  if (!request) return x->respond(error_response(request.error()));
  const auto length = validation.models.front().context_length;
  context.gateway.tokenize(std::move(*request),
                           reply_to<std::vector<token_id>>(x, [length](exchange& out, const auto& tokens) {
                             respond_json(out, api::tokens_body(tokens, length));
                           }));
}

void handle_detokenize(service& context, const exchange_ptr& x) {
  auto request = api::parse_detokenize(x->body(), context.validation());
  if (!request) return x->respond(error_response(request.error()));
  context.gateway.detokenize(std::move(*request),
                             reply_to<std::string>(x, [](exchange& out, const auto& text) {
                               respond_json(out, api::text_body(text));
                             }));
}

void handle_websocket(service&, const exchange_ptr& x) {
  auto answer = error_response({error_code::invalid_request, "this route takes WebSocket upgrades only", {}});
  answer.status = 426;
  answer.headers.emplace_back("Upgrade", "websocket");
  x->respond(answer);
}

void handle_health(service&, const exchange_ptr& x) { respond_json(*x, R"({"status":"ok"})"); }

void handle_ready(service& context, const exchange_ptr& x) {
  switch (context.draining ? readiness::draining : context.gateway.ready()) {
    case readiness::ready:
      return respond_json(*x, R"({"status":"ready"})");
    case readiness::draining:
      return x->respond(error_response({error_code::draining, "the server is shutting down", {}}));
    case readiness::loading:
      return x->respond(error_response({error_code::model_loading, "the model is still loading", {}}));
    case readiness::restarting:
      return x->respond(
          error_response({error_code::device_unavailable, "a part of the engine is starting again", {}}));
    case readiness::failed:
      return x->respond(error_response({error_code::device_unavailable, "the engine has failed", {}}));
  }
}

void handle_metrics(service& context, const exchange_ptr& x) {
  context.gateway.metrics(reply_to<std::string>(x, [](exchange& out, const auto& text) {
    response answer;
    answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
    answer.body = text;
    out.respond(answer);
  }));
}

void handle_openapi(service&, const exchange_ptr& x) {
  std::vector<api::described_route> described;
  for (const auto& r : routes()) described.push_back({r.name, r.method, r.path, r.access != access_class::open});
  respond_json(*x, api::openapi_document(described, NEAP_VERSION));
}

void handle_actors(service& context, const exchange_ptr& x) {
  context.gateway.inspect_actors(reply_to<std::vector<actor_view>>(
      x, [](exchange& out, const auto& views) { respond_json(out, api::actors_body(views)); }));
}

void handle_requests(service& context, const exchange_ptr& x) {
  context.gateway.inspect_requests(reply_to<std::vector<request_view>>(
      x, [](exchange& out, const auto& views) { respond_json(out, api::requests_body(views)); }));
}

}  // namespace neap::http
