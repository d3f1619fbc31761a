#pragma once
// The gateway for threads that know no actors: turns calls into messages.

#include "actors/interfaces.hpp"
#include "actors/node_actors.hpp"
#include "messages/gateway.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <vector>

namespace neap::actors {

class gateway_bridge final : public gateway {
 public:
  // The actor system must outlive the bridge.
  gateway_bridge(caf::actor_system& system, const node_actors& node, std::vector<served_model> models);

  request_id next_request_id() override { return ++last_id_; }
  void submit(generation_request request, token_sink_ptr sink) override;
  void cancel(request_id id) override;
  void tokenize(prompt source, reply_callback<std::vector<token_id>> reply) override;
  void detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) override;
  void metrics(reply_callback<std::string> reply) override;
  void inspect_actors(reply_callback<std::vector<actor_view>> reply) override;
  void inspect_requests(reply_callback<std::vector<request_view>> reply) override;
  std::vector<served_model> models() const override { return models_; }
  readiness ready() const override { return ready_->load(); }

 private:
  caf::actor_system& system_;
  supervisor_actor supervisor_;
  published_peers peers_;
  std::vector<served_model> models_;
  readiness_flag ready_;
  std::atomic<request_id> last_id_{0};
};

}  // namespace neap::actors
