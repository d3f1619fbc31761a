// A loaded node in an actor system of its own.

#include "server/node.hpp"

#include "actors/gateway_bridge.hpp"
#include "server/compose/load_node.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace neap::server {
namespace {

using namespace neap::actors;

constexpr std::size_t messages_per_turn = 50;  // unlimited lets two busy actors starve a third
constexpr std::chrono::seconds drain_reply_slack{10};

struct system_config : caf::actor_system_config {
  explicit system_config(const node_options& options) {
    set("scheduler.policy", caf::atom_from_string(options.scheduler_policy));
    set("scheduler.max-threads", std::size_t{options.scheduler_threads});
    set("scheduler.max-throughput", messages_per_turn);
  }
};

error no_threads(const std::system_error& reason) {
  return {error_code::out_of_memory,
          std::string{"the system gives no more threads ("} + reason.what() +
              "); raise the limit of processes (ulimit -u, the container's pids limit)",
          ""};
}

class running_node final : public node {
 public:
  running_node(const node_options& options, loaded_node loaded)
      : loaded_(std::move(loaded)),
        config_(options),
        system_(config_),
        actors_(spawn_actors(system_, loaded_.wiring)),
        gateway_(
            std::make_unique<gateway_bridge>(system_, actors_, std::vector<served_model>{loaded_.served})) {}

  // Actors first: the device must outlive the executor. Requests still alive end with an error event.
  ~running_node() override {
    drain_supervised(std::chrono::milliseconds{0});
    gateway_.reset();
    actors_.stop();
    system_.await_all_actors_done();
  }

  neap::gateway& gateway() override { return *gateway_; }

  bool drain(std::chrono::milliseconds limit) override { return drain_supervised(limit); }

 private:
  bool drain_supervised(std::chrono::milliseconds limit) {
    bool complete = false;
    caf::scoped_actor self{system_};
    self->request(actors_.supervisor, limit + drain_reply_slack, drain_a::value,
                  static_cast<std::uint64_t>(limit.count()))
        .receive([&](bool ended) { complete = ended; }, [](const caf::error&) {});
    return complete;
  }

  loaded_node loaded_;
  system_config config_;
  caf::actor_system system_;
  node_actors actors_;
  std::unique_ptr<gateway_bridge> gateway_;
};

}  // namespace

result<std::unique_ptr<node>> start_node(const node_options& options,
                                         const std::function<void(const load_progress&)>& progress,
                                         const node_hooks& hooks) {
  auto loaded = load_node(options, progress, hooks);
  if (!loaded) return std::move(loaded).error();
  try {
    return std::unique_ptr<node>{std::make_unique<running_node>(options, std::move(*loaded))};
  } catch (const std::system_error& reason) {
    return no_threads(reason);
  }
}

}  // namespace neap::server
