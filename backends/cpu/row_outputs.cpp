#include "backends/cpu/row_outputs.hpp"

#include "engine/decode/logit_processing.hpp"

#include <algorithm>

namespace neap::backend::cpu {
namespace {

// Tokens of the row that are followed by a token of the prompt.
std::size_t followed_by_prompt(const plan_row& row, const decode::sequence_state& state) {
  std::size_t count = 0;
  while (count < row.token_count && state.prompt_token(std::uint64_t{row.first_position} + count + 1))
    ++count;
  return count;
}

}  // namespace

row_outputs::row_outputs(cpu_model& model, worker_pool& pool, forward_pass& forward, const batch_plan& plan,
                         std::vector<row_result>& results)
    : model_(model), pool_(pool), forward_(forward), plan_(plan), results_(results) {}

void row_outputs::run(std::uint32_t rank) {
  const auto& outputs = model_.batch.outputs;
  const auto& means = model_.batch.means;
  const std::size_t vocabulary = model_.config().vocabulary;
  if (!means.empty())
    pool_.for_range(means.size(), 1, [&](std::size_t row, std::size_t) { add_means(means[row]); });
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
  if ((row.outputs & output_prompt_logprobs) != 0) score_prompt(output, {logits, vocabulary}, rank);
  if (!output.last || (row.outputs & output_sample) == 0) return;
  auto& state = model_.sequences.at(row.sequence);
  const auto token = state.sample(row.sample_index, {logits, vocabulary}, model_.scratch[rank]);
  if (token) result.token = *token;
  result.finish = state.finish();
  result.logprobs = state.take_logprobs();
}

void row_outputs::score_prompt(const output_row& output, std::span<const float> logits, std::uint32_t rank) {
  auto& result = results_[output.plan_row];
  if (output.offset >= result.prompt_logprobs.size()) return;  // what follows is no prompt token
  const auto& row = plan_.rows[output.plan_row];
  const auto& state = model_.sequences.at(row.sequence);
  const auto token = *state.prompt_token(std::uint64_t{row.first_position} + output.offset + 1);
  if (decode::all_finite(logits))
    result.prompt_logprobs[output.offset] = state.score(token, logits, model_.scratch[rank]);
  else
    result.finish = finish_reason::failed;
}

// One thread a row, one token after the other: the sum is the same however rows are cut.
void row_outputs::add_means(const mean_row& mean) {
  const auto& row = plan_.rows[mean.plan_row];
  auto& result = results_[mean.plan_row];
  auto& sum = model_.sequences.at(row.sequence).mean();
  const std::size_t hidden = model_.config().hidden;
  for (std::uint32_t i = 0; i < row.token_count; ++i) {
    model_.kernels->rms_norm(model_.arena.residual + (mean.token_row + i) * hidden,
                             model_.weights.output_norm, hidden, model_.config().norm_epsilon,
                             result.hidden.data());
    sum.add(row.first_position + i, result.hidden);
  }
  sum.write(result.hidden);
  if (!decode::all_finite(result.hidden)) result.finish = finish_reason::failed;
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
    if ((row.outputs & (output_hidden | output_mean_hidden)) != 0)
      result.hidden.resize(model.config().hidden);
    if ((row.outputs & output_prompt_logprobs) != 0)
      result.prompt_logprobs.resize(followed_by_prompt(row, model.sequences.at(row.sequence)));
  }
  return results;
}

}  // namespace neap::backend::cpu
