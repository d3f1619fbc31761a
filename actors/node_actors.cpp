#include "actors/node_actors.hpp"

#include "actors/batcher.hpp"
#include "actors/classifier.hpp"
#include "actors/defrag_timer.hpp"
#include "actors/gpu_executor.hpp"
#include "actors/ingress.hpp"
#include "actors/memory_manager.hpp"
#include "actors/request.hpp"
#include "actors/telemetry.hpp"
#include "actors/text_encoder.hpp"

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace neap::actors {
namespace {

using named_actors = std::vector<std::pair<std::string, caf::actor>>;

// Without any one of these no request can end well.
named_actors essential_actors(const node_actors& node) {
  return {{"batcher", caf::actor_cast<caf::actor>(node.batcher)},
          {"gpu_executor", caf::actor_cast<caf::actor>(node.executor)},
          {"ingress", caf::actor_cast<caf::actor>(node.ingress)},
          {"memory_manager", caf::actor_cast<caf::actor>(node.memory)},
          {"classifier", caf::actor_cast<caf::actor>(node.classifier)},
          {"text_encoder", caf::actor_cast<caf::actor>(node.encoder)},
          {"telemetry", caf::actor_cast<caf::actor>(node.telemetry)}};
}

void spawn_blocking(caf::actor_system& system, const node_wiring& wiring, node_actors& node) {
  if (wiring.detach_blocking_actors) {
    node.encoder = system.spawn<caf::detached>(text_encoder, wiring.encoder);
    node.executor = system.spawn<caf::detached>(gpu_executor, wiring.device);
  } else {
    node.encoder = system.spawn(text_encoder, wiring.encoder);
    node.executor = system.spawn(gpu_executor, wiring.device);
  }
}

request_spawner make_spawner(caf::actor_system& system, const node_wiring& wiring, const node_actors& node) {
  const request_peers peers{.encoder = node.encoder,
                            .classifier = node.classifier,
                            .batcher = node.batcher,
                            .telemetry = node.telemetry,
                            .ingress = {},
                            .vocabulary = wiring.vocabulary,
                            .limits = wiring.lengths};
  return [&system, peers, seen = wiring.on_request](
             const ingress_actor& owner, const generation_request_ptr& request, const token_sink_ptr& sink,
             sequence_id first) {
    auto mine = std::make_shared<request_peers>(peers);
    mine->ingress = owner;
    const std::shared_ptr<const request_peers> shared = std::move(mine);
    auto made = system.spawn(request_behavior, shared, request, sink, first);
    if (seen) seen(request->id, made);
    return made;
  };
}

}  // namespace

void node_actors::stop() {
  const auto end = [](auto& handle) {
    if (handle) caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
    handle = nullptr;
  };
  end(supervisor);
  end(ingress);
  end(batcher);
  end(executor);
  end(classifier);
  end(encoder);
  end(memory);
  end(timer);
  end(telemetry);
}

node_actors spawn_actors(caf::actor_system& system, const node_wiring& wiring) {
  node_actors node;
  node.ready = std::make_shared<std::atomic<readiness>>(readiness::loading);
  node.telemetry = system.spawn(telemetry);
  node.memory = system.spawn(memory_manager, wiring.zones);
  node.classifier = system.spawn(classifier, wiring.policy);
  spawn_blocking(system, wiring, node);
  node.batcher =
      system.spawn(batcher, batcher_peers{node.executor, node.memory, node.telemetry}, wiring.limits);
  node.timer = system.spawn(defrag_timer, node.memory, wiring.defrag_period);
  node.ingress = system.spawn(ingress, make_spawner(system, wiring, node), node.telemetry,
                              wiring.max_live_requests);
  node.supervisor = system.spawn(supervisor, essential_actors(node), node.ingress, node.ready);
  return node;
}

}  // namespace neap::actors
