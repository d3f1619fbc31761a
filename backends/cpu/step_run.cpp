#include "backends/cpu/step_run.hpp"

#include "backends/cpu/forward_pass.hpp"
#include "backends/cpu/plan_check.hpp"
#include "backends/cpu/row_outputs.hpp"

#include <chrono>

namespace neap::backend::cpu {
namespace {

void change_sequences(cpu_model& model, const batch_plan& plan) {
  for (const auto id : plan.ends) model.sequences.erase(id);
  for (const auto& start : plan.starts)
    model.sequences.emplace(start.sequence, decode::sequence_state(start));
  for (const auto& fork : plan.forks) {
    auto child = model.sequences.at(fork.parent).fork(fork.seed);
    model.sequences.emplace(fork.child, std::move(child));
  }
}

}  // namespace

result<step_result> run_step(cpu_model& model, worker_pool& pool, const batch_plan& plan) {
  const auto begin = std::chrono::steady_clock::now();
  if (auto fault = check_plan(plan, model)) return std::move(*fault);
  change_sequences(model, plan);
  unroll(plan, model.sequences, model.batch);
  step_result result;
  result.step = plan.step;
  result.rows = make_results(plan, model);
  forward_pass forward(model, pool);
  row_outputs outputs(model, pool, forward, plan, result.rows);
  if (!plan.copies.empty() || !model.batch.tokens.empty())
    pool.run([&](std::uint32_t rank) {
      if (!plan.copies.empty())
        pool.for_range(model.config().layers, 1,
                       [&](std::size_t layer, std::size_t) { model.kv.copy_blocks(layer, plan.copies); });
      if (model.batch.tokens.empty()) return;
      forward.run();
      outputs.run(rank);
    });
  result.device_time = std::chrono::steady_clock::now() - begin;
  return result;
}

}  // namespace neap::backend::cpu
