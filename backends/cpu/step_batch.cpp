#include "backends/cpu/step_batch.hpp"

#include <algorithm>

namespace neap::backend::cpu {
namespace {

constexpr std::uint32_t group_tokens = 16;

void add_tokens(const batch_plan& plan, const plan_row& row, const decode::sequence_state& state,
                step_batch& batch) {
  const block_id* table = plan.block_tables.data() + row.table_begin;
  const auto begin = static_cast<std::uint32_t>(batch.tokens.size());
  for (std::uint32_t i = 0; i < row.token_count; ++i) {
    const token_id token = plan.tokens[row.token_begin + i];
    batch.tokens.push_back(
        {token == last_sampled_token ? *state.last_token() : token, row.first_position + i, table});
  }
  for (std::uint32_t i = 0; i < row.token_count; i += group_tokens)
    batch.groups.push_back({begin + i, std::min(group_tokens, row.token_count - i)});
}

void add_outputs(const plan_row& row, std::uint32_t index, std::uint32_t begin, step_batch& batch) {
  if ((row.outputs & output_mean_hidden) != 0) batch.means.push_back({begin, index});
  if ((row.outputs & ~output_mean_hidden) == output_none) return;
  const std::uint32_t last = row.token_count - 1;
  const bool all = (row.outputs & (output_all_logits | output_prompt_logprobs)) != 0;
  for (std::uint32_t i = all ? 0 : last; i <= last; ++i)
    batch.outputs.push_back({begin + i, index, i, i == last});
}

}  // namespace

void step_batch::clear() noexcept {
  tokens.clear();
  groups.clear();
  outputs.clear();
  means.clear();
  skipped.clear();
}

void unroll(const batch_plan& plan, const sequence_map& sequences, step_batch& batch) {
  batch.clear();
  for (std::uint32_t i = 0; i < plan.rows.size(); ++i) {
    const auto& row = plan.rows[i];
    const auto& state = sequences.at(row.sequence);
    batch.skipped.push_back(state.finished());
    if (state.finished()) continue;
    const auto begin = static_cast<std::uint32_t>(batch.tokens.size());
    add_tokens(plan, row, state, batch);
    add_outputs(row, i, begin, batch);
  }
}

}  // namespace neap::backend::cpu
