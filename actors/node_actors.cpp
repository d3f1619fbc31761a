#include "actors/node_actors.hpp"

#include "actors/batcher.hpp"
#include "actors/classifier.hpp"
#include "actors/defrag_timer.hpp"
#include "actors/gpu_executor.hpp"
#include "actors/ingress.hpp"
#include "actors/memory_manager.hpp"
#include "actors/metrics.hpp"
#include "actors/request.hpp"
#include "actors/telemetry.hpp"
#include "actors/text_encoder.hpp"
#include "actors/watched_actor.hpp"

#include <caf/send.hpp>

#include <system_error>
#include <utility>

namespace neap::actors {
namespace {

// Sequence ids of one ingress; a later one begins above.
constexpr sequence_id ids_of_one_ingress = sequence_id{1} << 40U;

template <class Handle>
essential_actor essential(std::string name, Handle node_peers::*member,
                          std::function<Handle(const node_peers&)> start) {
  return {std::move(name),
          [member, start = std::move(start)](node_peers& peers) { peers.*member = start(peers); },
          [member](const node_peers& peers) { return caf::actor_cast<caf::actor>(peers.*member); }};
}

template <class... Arguments>
auto spawn_blocking(caf::actor_system& system, bool detached, Arguments&&... arguments) {
  return detached ? system.spawn<caf::detached>(std::forward<Arguments>(arguments)...)
                  : system.spawn(std::forward<Arguments>(arguments)...);
}

request_spawner make_spawner(caf::actor_system& system, const node_wiring& wiring) {
  const auto setting =
      std::make_shared<const request_setting>(request_setting{wiring.vocabulary, wiring.lengths});
  return [&system, setting, seen = wiring.on_request](
             const ingress_actor& owner, const node_peers_ptr& peers, const generation_request_ptr& request,
             const token_sink_ptr& sink, sequence_id first) {
    auto made = system.spawn(request_behavior, owner, peers, setting, request, sink, first);
    if (seen) seen(request->id, made);
    return made;
  };
}

// What an earlier batcher leased and opened is void; both hear of it before the new one speaks.
batcher_actor start_batcher(caf::actor_system& system, const schedule::scheduler_limits& limits,
                            const node_peers& peers) {
  caf::anon_send(peers.memory, reset_a::value);
  caf::anon_send(peers.executor, reset_a::value);
  return system.spawn(batcher, peers, limits);
}

std::function<ingress_actor(const node_peers&)> ingress_starter(caf::actor_system& system,
                                                                const node_wiring& wiring) {
  return [&system, spawner = make_spawner(system, wiring), most = wiring.max_live_requests,
          first = std::make_shared<sequence_id>(1)](const node_peers& peers) {
    const auto mine = std::exchange(*first, *first + ids_of_one_ingress);
    return system.spawn(ingress, spawner, std::make_shared<const node_peers>(peers), most, mine);
  };
}

// Each after those whose handles it needs.
std::vector<essential_actor> start_table(caf::actor_system& system, const node_wiring& w) {
  const auto counted = std::make_shared<metrics>();
  const auto detached = w.detach_blocking_actors;
  return {
      essential<telemetry_actor>("telemetry", &node_peers::telemetry,
                                 [&system, counted, log = w.request_log](auto&) {
                                   return system.spawn(telemetry, counted, log);
                                 }),
      essential<memory_manager_actor>(
          "memory_manager", &node_peers::memory,
          [&system, zones = w.zones](auto&) { return system.spawn(memory_manager, zones); }),
      essential<classifier_actor>(
          "classifier", &node_peers::classifier,
          [&system, policy = w.policy](auto&) { return system.spawn(classifier, policy); }),
      essential<text_encoder_actor>("text_encoder", &node_peers::encoder,
                                    [&system, detached, encoder = w.encoder](auto&) {
                                      return spawn_blocking(system, detached, text_encoder, encoder);
                                    }),
      essential<executor_actor>("gpu_executor", &node_peers::executor,
                                [&system, detached, device = w.device, model = w.limits.model](auto&) {
                                  return spawn_blocking(system, detached, gpu_executor, device, model);
                                }),
      essential<batcher_actor>(
          "batcher", &node_peers::batcher,
          [&system, limits = w.limits](auto& peers) { return start_batcher(system, limits, peers); }),
      essential<defrag_timer_actor>("defrag_timer", &node_peers::timer,
                                    [&system, period = w.defrag_period](const node_peers& peers) {
                                      return system.spawn(defrag_timer, peers.memory, period);
                                    }),
      essential<ingress_actor>("ingress", &node_peers::ingress, ingress_starter(system, w)),
  };
}

// If an actor cannot start, those before it would keep the actor system from ending.
void end_all(const std::vector<essential_actor>& table, const node_peers& peers) {
  for (const auto& entry : table)
    if (const auto handle = entry.handle(peers)) caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
}

}  // namespace

void node_actors::stop() {
  if (supervisor) caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
  supervisor = nullptr;
}

node_actors spawn_actors(caf::actor_system& system, const node_wiring& wiring) {
  node_actors node;
  node.ready = std::make_shared<std::atomic<readiness>>(readiness::loading);
  node.peers = std::make_shared<std::atomic<node_peers_ptr>>();
  auto setting = std::make_shared<supervision>();
  *setting = {start_table(system, wiring), wiring.restarts, wiring.step_limit, node.ready,
              node.peers,                  wiring.log,      wiring.on_fatal};
  auto peers = std::make_shared<node_peers>();
  try {
    for (const auto& entry : setting->table) entry.start(*peers);
  } catch (const std::system_error&) {
    end_all(setting->table, *peers);
    throw;
  }
  node.peers->store(peers);
  node.supervisor = system.spawn(supervisor, std::shared_ptr<const supervision>{std::move(setting)},
                                 node_peers_ptr{std::move(peers)});
  return node;
}

}  // namespace neap::actors
