#include "actors/gpu_executor.hpp"

#include "actors/crash_text.hpp"
#include "actors/watched_actor.hpp"

namespace neap::actors {
namespace {

step_result_ptr run(gpu_executor_state& state, const batch_plan& plan) {
  auto outcome = state.device->run(plan);
  ++state.steps;
  if (outcome) {
    state.busy += outcome->device_time;
    return std::make_shared<const step_result>(std::move(*outcome));
  }
  ++state.failures;
  step_result failed;
  failed.step = plan.step;
  failed.failure = std::move(outcome).error();
  return std::make_shared<const step_result>(std::move(failed));
}

}  // namespace

executor_actor::behavior_type gpu_executor(watched_self<executor_actor, gpu_executor_state> self,
                                           std::shared_ptr<backend::backend> device,
                                           backend::model_index model) {
  keep_crash_text(self);
  self->state.device = std::move(device);
  self->state.device->reset(model);
  return {
      [self](inspect_a) {
        const auto& state = self->state;
        const auto busy = std::chrono::duration<double>(state.busy).count();
        return make_report(self, {field("steps", state.steps), field("failures", state.failures),
                                  field("device_seconds", busy)});
      },
      [self](step_a, const batch_plan_ptr& plan) { return run(self->state, *plan); },
      [self, model](reset_a) { self->state.device->reset(model); },
  };
}

}  // namespace neap::actors
