#include "actors/supervisor.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

namespace neap::actors {
namespace {

using self_pointer = supervisor_actor::stateful_pointer<supervisor_state>;

void on_loss(self_pointer self, const caf::down_msg& message, const ingress_actor& ingress,
             const readiness_flag& ready) {
  for (const auto& [name, address] : self->state.watched) {
    if (address != message.source || !message.reason) continue;  // an ordinary end is no loss
    ++self->state.losses;
    ready->store(readiness::failed);
    self->send(ingress, fail_a::value,
               std::make_shared<const error>(error{error_code::internal, "the server lost its " + name, ""}));
  }
}

caf::typed_response_promise<bool> drain(self_pointer self, const ingress_actor& ingress,
                                        const readiness_flag& ready, std::uint64_t limit_ms) {
  if (ready->load() != readiness::failed) ready->store(readiness::draining);
  auto promise = self->make_response_promise<bool>();
  self->request(ingress, caf::infinite, drain_a::value, limit_ms)
      .then([promise](bool complete) mutable { promise.deliver(complete); },
            [promise](const caf::error&) mutable { promise.deliver(false); });
  return promise;
}

}  // namespace

supervisor_actor::behavior_type supervisor(self_pointer self,
                                           const std::vector<std::pair<std::string, caf::actor>>& essential,
                                           const ingress_actor& ingress, const readiness_flag& ready) {
  for (const auto& [name, handle] : essential) {
    self->monitor(handle);
    self->state.watched.emplace_back(name, handle.address());
  }
  static_cast<caf::scheduled_actor*>(self)->set_down_handler(
      [self, ingress, ready](const caf::down_msg& message) { on_loss(self, message, ingress, ready); });
  ready->store(readiness::ready);
  return {
      [self](inspect_a) {
        return make_report(
            self, {field("watched", self->state.watched.size()), field("losses", self->state.losses)});
      },
      [self](watch_a) {
        std::string names;
        for (const auto& [name, address] : self->state.watched) names += name + "\n";
        return names;
      },
      [self, ingress, ready](drain_a, std::uint64_t limit_ms) { return drain(self, ingress, ready, limit_ms); },
  };
}

}  // namespace neap::actors
