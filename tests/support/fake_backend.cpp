#include "tests/support/fake_backend.hpp"

#include <algorithm>

namespace neap::test {
namespace {

// The next token depends on every token before it, their order, the seed and the index in the answer.
token_id next_token(std::span<const token_id> context, const sampling_params& sampling, std::uint64_t index,
                    std::uint32_t vocabulary) {
  std::uint64_t hash = 14695981039346656037ULL ^ sampling.seed;
  for (const auto token : context) hash = (hash ^ static_cast<std::uint64_t>(token)) * 1099511628211ULL;
  hash = (hash ^ index) * 1099511628211ULL;
  return static_cast<token_id>((hash >> 20U) % vocabulary);
}

}  // namespace

std::vector<token_id> fake_answer(std::span<const token_id> prompt, const sampling_params& sampling,
                                  const std::vector<token_id>& stop_token_ids, std::uint32_t max_tokens,
                                  std::uint32_t vocabulary) {
  std::vector<token_id> context(prompt.begin(), prompt.end());
  std::vector<token_id> answer;
  while (answer.size() < max_tokens) {
    answer.push_back(next_token(context, sampling, answer.size(), vocabulary));
    context.push_back(answer.back());
    if (std::find(stop_token_ids.begin(), stop_token_ids.end(), answer.back()) != stop_token_ids.end()) break;
  }
  return answer;
}

std::vector<float> fake_embedding(std::span<const token_id> prompt) {
  double sum = 0;
  for (std::size_t i = 0; i < prompt.size(); ++i) sum += static_cast<double>(i + 1) * prompt[i];
  return {static_cast<float>(sum), static_cast<float>(prompt.size())};
}

neap::backend::model_properties fake_backend::properties(neap::backend::model_index) const {
  neap::backend::model_properties out;
  out.vocabulary = limits_.vocabulary;
  out.kv_blocks = limits_.blocks;
  return out;
}

std::uint64_t fake_backend::rows_of(sequence_id id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? 0 : found->second;
}

result<step_result> fake_backend::run(const batch_plan& plan) {
  if (before_step)
    if (auto failure = before_step(plan)) return *failure;
  if (auto fault = fault_of(plan); !fault.empty()) {
    faults_.push_back("step " + std::to_string(plan.step) + ": " + fault);
    return error{error_code::internal, faults_.back(), ""};
  }
  ++steps_;
  change_sequences(plan);
  const auto longer = [](const plan_row& row) { return row.token_count > 1; };
  prefill_steps_ += std::any_of(plan.rows.begin(), plan.rows.end(), longer) ? 1 : 0;
  step_result out;
  out.step = plan.step;
  out.device_time = std::chrono::microseconds{10};
  for (const auto& row : plan.rows) out.rows.push_back(run_row(plan, row));
  return out;
}

std::string fake_backend::fault_of(const batch_plan& plan) const {
  std::set<sequence_id> open;
  for (const auto& [id, state] : sequences_) open.insert(id);
  for (const auto id : plan.ends)
    if (open.erase(id) == 0) return "end of unknown sequence " + std::to_string(id);
  for (const auto& start : plan.starts)
    if (!open.insert(start.sequence).second)
      return "second start of sequence " + std::to_string(start.sequence);
  std::set<sequence_id> seen;
  std::set<block_id> blocks;
  std::uint64_t tokens = 0, outputs = 0;
  for (const auto& row : plan.rows) {
    if (open.count(row.sequence) == 0) return "row of unknown sequence " + std::to_string(row.sequence);
    if (!seen.insert(row.sequence).second) return "two rows of sequence " + std::to_string(row.sequence);
    if (auto fault = fault_of_row(plan, row); !fault.empty()) return fault;
    for (std::uint32_t i = 0; i < row.table_count; ++i)
      if (!blocks.insert(plan.block_tables[row.table_begin + i]).second) return "a block in two tables";
    tokens += row.token_count;
    outputs += row.outputs != output_none ? 1 : 0;
  }
  if (tokens > limits_.max_batch_tokens) return "too many tokens";
  return outputs > limits_.max_rows ? "too many rows" : "";
}

std::string fake_backend::fault_of_row(const batch_plan& plan, const plan_row& row) const {
  if (row.token_count == 0 || row.token_begin + row.token_count > plan.tokens.size())
    return "tokens of a row";
  if (row.table_begin + row.table_count > plan.block_tables.size()) return "block table of a row";
  if (row.first_position + row.token_count > row.table_count * block_tokens) return "block table too short";
  for (std::uint32_t i = 0; i < row.table_count; ++i)
    if (plan.block_tables[row.table_begin + i] >= limits_.blocks) return "block past the pool";
  for (std::uint32_t i = 0; i < row.token_count; ++i)
    if (plan.tokens[row.token_begin + i] == last_sampled_token && row.token_count != 1)
      return "last sampled token in a longer row";
  return "";
}

void fake_backend::change_sequences(const batch_plan& plan) {
  for (const auto id : plan.ends) sequences_.erase(id);
  for (const auto& start : plan.starts) {
    sequences_.emplace(start.sequence, decode::sequence_state{start});
    sampling_[start.sequence] = start.sampling;
    prompts_[start.sequence] = start.prompt;
  }
}

void fake_backend::write(const batch_plan& plan, const plan_row& row) {
  for (std::uint32_t i = 0; i < row.token_count; ++i) {
    auto token = plan.tokens[row.token_begin + i];
    if (token == last_sampled_token) token = sequences_.at(row.sequence).last_token().value_or(unwritten);
    const auto position = row.first_position + i;
    const auto block = plan.block_tables[row.table_begin + position / block_tokens];
    cells_[block].tokens[position % block_tokens] = token;
  }
}

std::vector<token_id> fake_backend::read(const batch_plan& plan, const plan_row& row) const {
  std::vector<token_id> out;
  for (std::uint32_t position = 0; position < row.first_position + row.token_count; ++position) {
    const auto block = plan.block_tables[row.table_begin + position / block_tokens];
    out.push_back(cells_[block].tokens[position % block_tokens]);
  }
  return out;
}

void fake_backend::score_prompt(const plan_row& row, row_result& out) const {
  const auto& prompt = *prompts_.at(row.sequence);
  for (auto next = row.first_position + 1;
       next <= row.first_position + row.token_count && next < prompt.size(); ++next)
    out.prompt_logprobs.push_back({{prompt[next], -static_cast<float>(next)}, {}});
}

row_result fake_backend::run_row(const batch_plan& plan, const plan_row& row) {
  row_result out;
  out.sequence = row.sequence;
  auto& state = sequences_.at(row.sequence);
  out.skipped = state.finished();
  if (out.skipped) return out;
  ++rows_[row.sequence];
  write(plan, row);
  if ((row.outputs & output_mean_hidden) != 0) out.hidden = fake_embedding(read(plan, row));
  if ((row.outputs & output_prompt_logprobs) != 0) score_prompt(row, out);
  if ((row.outputs & output_sample) == 0) return out;
  out.token = next_token(read(plan, row), sampling_.at(row.sequence), row.sample_index, limits_.vocabulary);
  if (wrong_token_every > 0 && ++sampled_ % wrong_token_every == 0) out.token ^= 1;
  state.accept(out.token);
  out.finish = state.finish();
  return out;
}

}  // namespace neap::test
