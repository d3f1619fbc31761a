// What a finished step changes.

#include "engine/schedule/batch_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace neap::schedule {

sequence_update_list batch_scheduler::complete(const step_result& result, steady_time) {
  sequence_update_list out;
  // An older step's answer comes from before requeue_all(): its plan is forgotten.
  if (flights_.empty() || result.step < flights_.front().step) return out;
  const auto done = std::move(flights_.front());
  flights_.pop_front();
  pool_empty_ = false;  // others may have given blocks back meanwhile: ask again
  if (result.failure || result.rows.size() != done.rows.size() || result.step != done.step) {
    fail_flight(
        done,
        result.failure.value_or(error{error_code::internal, "a step's result does not match its plan", ""}),
        out);
    return out;
  }
  for (std::size_t i = 0; i < done.rows.size(); ++i) apply_row(result.rows[i], done.rows[i], out);
  for (const auto& row : done.rows) settle(row.sequence);
  return out;
}

namespace {

// Those not passed on before: a preempted sequence computes its prompt again.
std::vector<token_logprobs> new_prompt_logprobs(sequence& s, std::uint32_t first_position,
                                                const row_result& row) {
  const auto& all = row.prompt_logprobs;
  const auto known = s.prompt_scored - std::min(s.prompt_scored, first_position);
  if (known >= all.size()) return {};
  s.prompt_scored = first_position + static_cast<std::uint32_t>(all.size());
  return {all.begin() + known, all.end()};
}

}  // namespace

void batch_scheduler::apply_row(const row_result& row, const flight_row& planned, sequence_update_list& out) {
  const auto found = sequences_.find(row.sequence);
  if (found == sequences_.end()) return;
  auto& s = found->second;
  --s.in_flight;
  s.pending -= planned.samples ? 1 : 0;
  s.crashes = 0;
  if (s.ended) return;
  // Without its token the sequence could never go on.
  if (row.skipped || (planned.samples && row.token < 0 && row.finish == finish_reason::none))
    return fail_sequence(s, {error_code::internal, "a step gave no token to a sequence that runs", ""}, out);
  if (row.token >= 0) s.tokens.push_back(row.token);
  const auto finish =
      row.finish == finish_reason::none && s.is_computed() ? finish_reason::length : row.finish;
  s.ended = finish != finish_reason::none;
  if (row.token < 0 && !s.ended && row.prompt_logprobs.empty()) return;
  sequence_update update{
      row.sequence, row.token,    finish,       s.preemptions,
      s.first_step, std::nullopt, row.logprobs, new_prompt_logprobs(s, planned.first_position, row)};
  if (s.ended && s.request->embeds) update.hidden = row.hidden;
  if (row.finish == finish_reason::failed)
    update.failure = error{error_code::internal, "the model produced values that are not numbers", ""};
  out.push_back(std::move(update));
}

void batch_scheduler::fail_sequence(sequence& s, const error& reason, sequence_update_list& out) {
  if (s.ended) return;
  s.ended = true;
  out.push_back({s.request->id, -1, finish_reason::failed, s.preemptions, s.first_step, reason});
}

// Nothing of the step counts: what it would have opened is not open, what it would have closed still is.
void batch_scheduler::fail_flight(const flight& failed, const error& reason, sequence_update_list& out) {
  ends_.insert(ends_.end(), failed.ends.begin(), failed.ends.end());
  for (const auto id : failed.starts)
    if (const auto found = sequences_.find(id); found != sequences_.end()) found->second.opened = false;
  for (const auto& row : failed.rows) {
    const auto found = sequences_.find(row.sequence);
    if (found == sequences_.end()) continue;
    --found->second.in_flight;
    found->second.pending -= row.samples ? 1 : 0;
    fail_sequence(found->second, reason, out);
  }
  for (const auto& row : failed.rows) settle(row.sequence);
}

void batch_scheduler::blame_oldest_flight() {
  if (flights_.empty()) return;
  for (const auto& row : flights_.front().rows)
    if (const auto found = sequences_.find(row.sequence); found != sequences_.end()) ++found->second.crashes;
}

sequence_update_list batch_scheduler::requeue_all(const error& reason) {
  sequence_update_list out;
  blame_oldest_flight();
  flights_.clear();
  ends_.clear();
  for (auto& [id, s] : sequences_) {
    release_blocks(s);
    s.opened = s.preempted = false;
    s.computed = s.pending = s.in_flight = 0;
    if (s.crashes >= max_crashes) fail_sequence(s, reason, out);
  }
  waiting_.clear();
  running_.clear();
  std::erase_if(sequences_, [](const auto& entry) { return entry.second.ended; });
  for (const auto& [id, s] : sequences_) enqueue(waiting_, id);
  pool_empty_ = false;
  return out;
}

}  // namespace neap::schedule
