#include "backends/cpu/row_outputs.hpp"

#include <algorithm>

namespace neap::backend::cpu {

row_outputs::row_outputs(cpu_model& model, worker_pool& pool, forward_pass& forward, const batch_plan& plan,
                         std::vector<row_result>& results)
    : model_(model), pool_(pool), forward_(forward), plan_(plan), results_(results) {}

void row_outputs::run(std::uint32_t rank) {
  const auto& outputs = model_.batch.outputs;
  const std::size_t vocabulary = model_.config().vocabulary;
  for (std::size_t first = 0; first < outputs.size(); first += activation_arena::output_rows) {
    const auto count = std::min(outputs.size() - first, activation_arena::output_rows);
    pool_.for_range(count, 1, [&](std::size_t row, std::size_t) { normalise(first, row, count); });
    forward_.multiply({{&model_.weights.output, model_.arena.logits}}, input(count));
    pool_.for_range(count, 1, [&](std::size_t row, std::size_t) {
      finish(outputs[first + row], model_.arena.logits + row * vocabulary, rank);
    });
  }
}

input_rows row_outputs::input(std::size_t count) const noexcept {
  return {&model_.arena.narrow, count, model_.config().hidden};
}

void row_outputs::normalise(std::size_t first, std::size_t row, std::size_t count) {
  const auto& output = model_.batch.outputs[first + row];
  const std::size_t hidden = model_.config().hidden;
  float* out = model_.arena.narrow.values + row * hidden;
  model_.kernels->rms_norm(model_.arena.residual + output.token_row * hidden, model_.weights.output_norm,
                           hidden, model_.config().norm_epsilon, out);
  input_format format;
  format.need(model_.weights.output);
  forward_.quantize(input(count), format, row);
  if (output.last && (plan_.rows[output.plan_row].outputs & output_hidden) != 0)
    std::copy_n(out, hidden, results_[output.plan_row].hidden.begin());
}

void row_outputs::finish(const output_row& output, float* logits, std::uint32_t rank) {
  const auto& row = plan_.rows[output.plan_row];
  auto& result = results_[output.plan_row];
  const std::size_t vocabulary = model_.config().vocabulary;
  if ((row.outputs & (output_logits | output_all_logits)) != 0) {
    const std::size_t offset = (row.outputs & output_all_logits) != 0 ? output.offset : 0;
    std::copy_n(logits, vocabulary, result.logits.begin() + static_cast<std::ptrdiff_t>(offset * vocabulary));
  }
  if (!output.last || (row.outputs & output_sample) == 0) return;
  auto& state = model_.sequences.at(row.sequence);
  const auto token = state.sample(row.sample_index, {logits, vocabulary}, model_.scratch[rank]);
  if (token) result.token = *token;
  result.finish = state.finish();
}

std::vector<row_result> make_results(const batch_plan& plan, const cpu_model& model) {
  std::vector<row_result> results(plan.rows.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& row = plan.rows[i];
    auto& result = results[i];
    result.sequence = row.sequence;
    result.skipped = model.batch.skipped[i] != 0;
    if (result.skipped) continue;
    const std::size_t vocabulary = model.config().vocabulary;
    if ((row.outputs & output_all_logits) != 0)
      result.logits.resize(vocabulary * row.token_count);
    else if ((row.outputs & output_logits) != 0)
      result.logits.resize(vocabulary);
    if ((row.outputs & output_hidden) != 0) result.hidden.resize(model.config().hidden);
  }
  return results;
}

}  // namespace neap::backend::cpu
