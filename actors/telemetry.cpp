#include "actors/telemetry.hpp"

#include "actors/crash_text.hpp"
#include "actors/request_outcome.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {

telemetry_actor::behavior_type telemetry(watched_self<telemetry_actor, telemetry_state> self,
                                         std::shared_ptr<metrics> all,
                                         std::function<void(const std::string&)> request_log) {
  keep_crash_text(self);
  self->state.metrics = std::move(all);
  self->state.request_log = std::move(request_log);
  return {
      [self](inspect_a) { return make_report(self, {field("requests", self->state.requests)}); },
      [self](start_a) { self->state.metrics->count_start(); },
      [self](sample_a, const request_outcome_ptr& outcome) {
        ++self->state.requests;
        self->state.metrics->count(*outcome);
        if (self->state.request_log) self->state.request_log(log_line(*outcome));
      },
      [self](sample_a, const step_sample_ptr& sample) { self->state.metrics->count(*sample); },
      [self](metrics_a) { return self->state.metrics->text(); },
  };
}

}  // namespace neap::actors
