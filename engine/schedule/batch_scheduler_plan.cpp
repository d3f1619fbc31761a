// How a step is put together: running sequences first, one token each, then prompts in chunks.

#include "engine/schedule/batch_scheduler.hpp"

#include <algorithm>

namespace neap::schedule {

std::optional<batch_plan> batch_scheduler::plan(steady_time now) {
  if (flights_.size() >= max_plans_in_flight) return std::nullopt;
  admit_waiting(now);
  batch_plan plan;
  plan.step = next_step_;
  plan.model = limits_.model;
  flights_.push_back({plan.step, {}, {}, {}});
  budget left{limits_.max_batch_tokens, limits_.max_batch_tokens, 0, now};
  plan_decodes(plan, left);
  if (!plan.rows.empty()) left.prefill_tokens = limits_.prefill_tokens_beside_decodes;
  plan_prefills(plan, left);
  // Ends travel with the next step; alone only if there is none.
  if (!plan.rows.empty() || flights_.size() == 1) send_ends(plan);
  if (plan.rows.empty() && plan.ends.empty()) {
    flights_.pop_back();
    return std::nullopt;
  }
  ++next_step_;
  return plan;
}

void batch_scheduler::plan_decodes(batch_plan& plan, budget& left) {
  // By index over a copy: preemption changes the list.
  for (const auto id : std::vector<sequence_id>{running_}) {
    const auto found = sequences_.find(id);
    if (found == sequences_.end() || left.tokens == 0) continue;
    auto& s = found->second;
    if (s.ended || s.preempted || s.is_prefill() || s.ready_tokens() == 0) continue;
    if (!s.wants_sample() && !s.prefill_only()) continue;
    if (std::find(running_.begin(), running_.end(), id) == running_.end()) continue;  // preempted just now
    add_row(plan, s, 1, left);
  }
}

void batch_scheduler::plan_prefills(batch_plan& plan, budget& left) {
  const bool others = std::any_of(running_.begin(), running_.end(), [this](sequence_id id) {
    const auto& s = sequences_.at(id);
    return !s.is_single_process() && !s.ended && !s.preempted && s.is_prefill();
  });
  left.single_process_tokens = others ? std::max(left.prefill_tokens / 2, 1U) : left.prefill_tokens;
  for (const auto id : std::vector<sequence_id>{running_}) {
    const auto found = sequences_.find(id);
    if (found == sequences_.end()) continue;
    auto& s = found->second;
    if (s.ended || s.preempted || !s.is_prefill()) continue;
    const auto count = chunk_of(s, left);
    if (count == 0 || !add_row(plan, s, count, left)) continue;
    left.prefill_tokens -= std::min(count, left.prefill_tokens);
    if (s.is_single_process()) left.single_process_tokens = 0;
  }
}

// One SINGLE_PROCESS prompt a step, and half of the budget where other prompts are there too.
std::uint32_t batch_scheduler::chunk_of(const sequence& s, const budget& left) const {
  const auto most = s.is_single_process() ? left.single_process_tokens : left.prefill_tokens;
  return std::min({s.known_length() - s.computed, left.tokens, left.prefill_tokens, most});
}

// Blocks for positions [0, length). Where the pool is empty, the sequence that came last gives way; the last
// one itself keeps its blocks and waits.
bool batch_scheduler::make_room(sequence& s, std::uint32_t length) {
  while (!s.table.can_append(length, lease_)) {
    note_shortage(s.table.missing_blocks(length));
    if (!pool_is_empty() || blocks_return() || !preempt_after(s.request->id)) return false;
  }
  s.table.append(length, lease_);
  return true;
}

void batch_scheduler::note_shortage(std::uint64_t blocks) {
  const auto missing = blocks - std::min<std::uint64_t>(blocks, lease_.free_blocks());
  shortage_ =
      std::max(shortage_, static_cast<std::uint32_t>(std::min<std::uint64_t>(missing, limits_.total_blocks)));
}

std::uint8_t batch_scheduler::outputs_of(const sequence& s, bool samples) {
  std::uint8_t out = samples ? output_sample : output_none;
  const auto& request = *s.request;
  if (request.embeds) out |= output_mean_hidden;
  if (request.sampling.prompt_logprobs && s.computed + 1 < s.prompt_length()) out |= output_prompt_logprobs;
  return out;
}

bool batch_scheduler::add_row(batch_plan& plan, sequence& s, std::uint32_t count, budget& left) {
  const auto length = s.computed + count;
  if (!make_room(s, length)) return false;
  if (!s.opened) open(plan, s, left.now);
  plan_row row;
  row.sequence = s.request->id;
  row.first_position = s.computed;
  row.token_begin = static_cast<std::uint32_t>(plan.tokens.size());
  row.token_count = count;
  row.table_begin = static_cast<std::uint32_t>(plan.block_tables.size());
  row.table_count = static_cast<std::uint32_t>(memory::blocks_for(length));
  row.sample_index = s.answer_length();
  const bool samples = length == s.known_length() + s.pending && s.wants_sample();
  row.outputs = outputs_of(s, samples);
  append_tokens(plan, s, count);
  const auto& blocks = s.table.blocks();
  plan.block_tables.insert(plan.block_tables.end(), blocks.begin(), blocks.begin() + row.table_count);
  plan.rows.push_back(row);
  flights_.back().rows.push_back({row.sequence, row.first_position, samples});
  s.computed = length;
  s.pending += samples ? 1 : 0;
  ++s.in_flight;
  left.tokens -= count;
  return true;
}

void batch_scheduler::open(batch_plan& plan, sequence& s, steady_time now) {
  const auto& request = *s.request;
  plan.starts.push_back({.sequence = request.id,
                         .sampling = request.sampling,
                         .stop_token_ids = request.stop_token_ids,
                         .max_tokens = request.max_tokens,
                         .prompt = request.prompt,
                         .answer = {s.tokens.begin() + s.prompt_length(), s.tokens.end()}});
  flights_.back().starts.push_back(request.id);
  s.opened = true;
  if (s.first_step == steady_time{}) s.first_step = now;
}

void batch_scheduler::append_tokens(batch_plan& plan, const sequence& s, std::uint32_t count) const {
  for (std::uint32_t i = s.computed; i < s.computed + count; ++i)
    plan.tokens.push_back(i < s.known_length() ? s.tokens[i] : last_sampled_token);
}

void batch_scheduler::send_ends(batch_plan& plan) {
  plan.ends = std::exchange(ends_, {});
  flights_.back().ends = plan.ends;
}

}  // namespace neap::schedule
