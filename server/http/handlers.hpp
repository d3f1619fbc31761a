#pragma once
// One function a route, called on the io thread with the whole body read.

#include "server/http/exchange.hpp"
#include "server/http/service.hpp"

namespace neap::http {

void handle_chat(service& context, const exchange_ptr& x);
void handle_completions(service& context, const exchange_ptr& x);
void handle_responses(service& context, const exchange_ptr& x);
void handle_embeddings(service& context, const exchange_ptr& x);
void handle_models(service& context, const exchange_ptr& x);
void handle_model(service& context, const exchange_ptr& x);
void handle_tokenize(service& context, const exchange_ptr& x);
void handle_detokenize(service& context, const exchange_ptr& x);
// Requests that do not ask for the upgrade: 426.
void handle_websocket(service& context, const exchange_ptr& x);
// Live: 200 as long as the process answers, however busy it is.
void handle_health(service& context, const exchange_ptr& x);
// Ready: 200 when requests are taken; 503 while loading, draining or failed. A full queue stays ready.
void handle_ready(service& context, const exchange_ptr& x);
void handle_metrics(service& context, const exchange_ptr& x);
// The description of all routes for machines.
void handle_openapi(service& context, const exchange_ptr& x);
// Inspection: every actor, every live request.
void handle_actors(service& context, const exchange_ptr& x);
void handle_requests(service& context, const exchange_ptr& x);

}  // namespace neap::http
