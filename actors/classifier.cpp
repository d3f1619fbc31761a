#include "actors/classifier.hpp"

#include "actors/crash_text.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {
namespace {

sequence_request_ptr classify(classifier_state& state, const sequence_request& request) {
  auto out = std::make_shared<sequence_request>(request);
  out->classification = state.policy(request);
  ++state.classified[static_cast<std::size_t>(out->classification.group)];
  return out;
}

}  // namespace

classifier_actor::behavior_type classifier(watched_self<classifier_actor, classifier_state> self,
                                           schedule::classify_policy policy) {
  keep_crash_text(self);
  self->state.policy = schedule::guarded(std::move(policy));
  return {
      [self](inspect_a) {
        const auto& counts = self->state.classified;
        return make_report(self, {field("FAST_GROUP", counts[0]), field("DEFAULT_BATCH", counts[1]),
                                  field("SINGLE_PROCESS", counts[2])});
      },
      [self](classify_a, const sequence_request_ptr& request) { return classify(self->state, *request); },
  };
}

}  // namespace neap::actors
