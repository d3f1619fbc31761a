// The composition root: spawns the actors, chooses which run detached, and wires their handles.

#include "server/node.hpp"

#include "actors/batcher.hpp"
#include "actors/classifier.hpp"
#include "actors/defrag_timer.hpp"
#include "actors/gateway_bridge.hpp"
#include "actors/gpu_executor.hpp"
#include "actors/ingress.hpp"
#include "actors/memory_manager.hpp"
#include "actors/supervisor.hpp"
#include "actors/telemetry.hpp"
#include "actors/text_encoder.hpp"
#include "server/compose/node_parts.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace neap::server {
namespace {

using namespace neap::actors;

constexpr std::chrono::hours defrag_period{4};
constexpr std::size_t messages_per_turn = 50;  // unlimited lets two busy actors starve a third
constexpr std::uint64_t drain_reply_slack_ms = 10'000;

struct system_config : caf::actor_system_config {
  explicit system_config(const node_options& options) {
    set("scheduler.policy", caf::atom_from_string(options.scheduler_policy));
    set("scheduler.max-threads", std::size_t{options.scheduler_threads});
    set("scheduler.max-throughput", messages_per_turn);
  }
};

schedule::scheduler_limits limits_of(const node_options& options, const node_parts& parts) {
  schedule::scheduler_limits limits;
  limits.max_sequences = options.max_num_seqs;
  limits.max_batch_tokens = std::max(options.max_num_batched_tokens, options.max_num_seqs);
  limits.prefill_tokens_beside_decodes = std::max<std::uint32_t>(limits.max_batch_tokens / 2, 16);
  limits.max_waiting = options.max_queue;
  limits.context_length = parts.context_length;
  limits.total_blocks = parts.zones.kv_blocks;
  limits.emergency_blocks = parts.zones.emergency_blocks;
  limits.window = options.batch_window;
  return limits;
}

class running_node final : public node {
 public:
  running_node(const node_options& options, node_parts parts)
      : parts_(std::move(parts)),
        config_(options),
        system_(config_),
        ready_(std::make_shared<std::atomic<readiness>>(readiness::loading)) {
    spawn_core(options);
    spawn_ingress(options);
    watch();
    gateway_ = std::make_unique<gateway_bridge>(system_, gateway_peers{ingress_, encoder_, telemetry_},
                                                std::vector<served_model>{parts_.served}, ready_);
    ready_->store(readiness::ready);
  }

  // Actors first: the device must outlive the executor.
  ~running_node() override {
    ready_->store(readiness::draining);
    caf::anon_send_exit(supervisor_, caf::exit_reason::user_shutdown);
    fail_live();
    for (const auto& handle : all_) caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
    all_.clear();
    release_handles();
    system_.await_all_actors_done();
  }

  neap::gateway& gateway() override { return *gateway_; }

  bool drain(std::chrono::milliseconds limit) override {
    ready_->store(readiness::draining);
    const auto limit_ms = static_cast<std::uint64_t>(limit.count());
    bool complete = false;
    caf::scoped_actor self{system_};
    self->request(ingress_, std::chrono::milliseconds{limit_ms + drain_reply_slack_ms}, drain_a::value,
                  limit_ms)
        .receive([&](bool ended) { complete = ended; }, [](const caf::error&) {});
    return complete;
  }

 private:
  void spawn_core(const node_options& options) {
    telemetry_ = system_.spawn(telemetry);
    memory_ = system_.spawn(memory_manager, parts_.zones);
    encoder_ = system_.spawn<caf::detached>(text_encoder, parts_.encoder);
    classifier_ = system_.spawn(classifier, schedule::make_classify_policy({}));
    executor_ = system_.spawn<caf::detached>(gpu_executor, parts_.device, parts_.index);
    batcher_ =
        system_.spawn(batcher, batcher_peers{executor_, memory_, telemetry_}, limits_of(options, parts_));
    timer_ = system_.spawn(defrag_timer, memory_, std::chrono::milliseconds{defrag_period});
  }

  void spawn_ingress(const node_options& options) {
    auto peers = std::make_shared<request_peers>();
    peers->encoder = encoder_;
    peers->classifier = classifier_;
    peers->batcher = batcher_;
    peers->telemetry = telemetry_;
    peers->vocabulary = parts_.vocabulary;
    peers->limits = {parts_.context_length, options.max_completion_tokens};
    auto spawner = [this, peers](const ingress_actor& owner, const generation_request_ptr& request,
                                 const token_sink_ptr& sink, sequence_id first) {
      auto mine = std::make_shared<request_peers>(*peers);
      mine->ingress = owner;
      return system_.spawn(request_behavior, std::shared_ptr<const request_peers>{std::move(mine)}, request,
                           sink, first);
    };
    ingress_ = system_.spawn(ingress, request_spawner{std::move(spawner)}, telemetry_,
                             std::size_t{options.max_num_seqs} + options.max_queue);
  }

  void watch() {
    const std::vector<std::pair<std::string, caf::actor>> essential{
        {"batcher", caf::actor_cast<caf::actor>(batcher_)},
        {"gpu_executor", caf::actor_cast<caf::actor>(executor_)},
        {"ingress", caf::actor_cast<caf::actor>(ingress_)},
        {"memory_manager", caf::actor_cast<caf::actor>(memory_)},
        {"classifier", caf::actor_cast<caf::actor>(classifier_)},
        {"text_encoder", caf::actor_cast<caf::actor>(encoder_)},
        {"telemetry", caf::actor_cast<caf::actor>(telemetry_)}};
    supervisor_ = system_.spawn(supervisor, essential, ingress_, ready_);
    for (const auto& [name, handle] : essential) all_.push_back(handle);
    all_.push_back(caf::actor_cast<caf::actor>(timer_));
  }

  // Requests still alive end with an error event, and are gone when this returns.
  void fail_live() {
    caf::scoped_actor self{system_};
    self->request(ingress_, std::chrono::seconds{10}, drain_a::value, std::uint64_t{0})
        .receive([](bool) {}, [](const caf::error&) {});
  }

  void release_handles() {
    gateway_.reset();
    ingress_ = nullptr;
    batcher_ = nullptr;
    executor_ = nullptr;
    classifier_ = nullptr;
    encoder_ = nullptr;
    memory_ = nullptr;
    telemetry_ = nullptr;
    timer_ = nullptr;
    supervisor_ = nullptr;
  }

  node_parts parts_;
  system_config config_;
  caf::actor_system system_;
  readiness_flag ready_;
  telemetry_actor telemetry_;
  memory_manager_actor memory_;
  text_encoder_actor encoder_;
  classifier_actor classifier_;
  executor_actor executor_;
  batcher_actor batcher_;
  defrag_timer_actor timer_;
  ingress_actor ingress_;
  supervisor_actor supervisor_;
  std::vector<caf::actor> all_;
  std::unique_ptr<gateway_bridge> gateway_;
};

}  // namespace

result<std::unique_ptr<node>> start_node(const node_options& options,
                                         const std::function<void(const load_progress&)>& progress) {
  const progress_callback report = progress ? progress : [](const load_progress&) {};
  auto parts = load_parts(options, report);
  if (!parts) return std::move(parts).error();
  return std::unique_ptr<node>{std::make_unique<running_node>(options, std::move(*parts))};
}

}  // namespace neap::server
