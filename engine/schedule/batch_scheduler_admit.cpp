// Which waiting sequences start to run, and which running ones give way.

#include "engine/schedule/batch_scheduler.hpp"

#include <algorithm>

namespace neap::schedule {

void batch_scheduler::admit_waiting(steady_time now) {
  const bool hold_fast = holds_fast_group(now);
  bool hold_single = false;
  head_is_short_ = false;
  for (std::size_t i = 0; i < waiting_.size();) {
    const auto id = waiting_[i];
    auto& s = sequences_.at(id);
    hold_single = hold_single || (s.is_single_process() && single_process_share_is_used(s));
    if ((hold_fast && s.is_fast_group() && s.preemptions == 0) || (hold_single && s.is_single_process())) {
      ++i;
    } else if (running_.size() < limits_.max_sequences && can_admit(s)) {
      s.table.append(s.known_length(), lease_);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      enqueue(running_, id);
    } else if (!make_way(s)) {
      break;  // nobody overtakes because of memory: that would starve long prompts
    }
  }
}

bool batch_scheduler::holds_fast_group(steady_time now) const {
  std::size_t members = 0;
  steady_time oldest = now;
  for (const auto id : waiting_) {
    const auto& s = sequences_.at(id);
    if (!s.is_fast_group()) continue;
    ++members;
    oldest = std::min(oldest, s.request->arrival);
  }
  return members > 0 && window_.should_wait(now, oldest, members, !running_.empty());
}

// SINGLE_PROCESS sequences start on half of the pool at most, so that they never fill it; one may always run.
bool batch_scheduler::single_process_share_is_used(const sequence& candidate) const {
  std::uint64_t used = 0;
  for (const auto id : running_) {
    const auto& s = sequences_.at(id);
    if (s.is_single_process()) used += s.table.blocks().size();
  }
  return used > 0 &&
         used + candidate.table.missing_blocks(candidate.known_length()) > limits_.total_blocks / 2;
}

// The emergency blocks are for sequences that already run (or ran), so that they can go on.
bool batch_scheduler::can_admit(const sequence& candidate) const {
  const bool alone = running_.empty();
  const auto reserve = alone || candidate.preemptions > 0 ? 0 : limits_.emergency_blocks;
  return candidate.table.missing_blocks(candidate.known_length() + (alone ? 0 : 1)) + reserve <=
         lease_.free_blocks();
}

// A sequence that finds no place pushes out one of a worse lane that ranks after it. True if a place is free
// now. A long wait improves the rank of the other, so it is pushed out within bounds.
bool batch_scheduler::make_way(const sequence& head) {
  if (!can_admit(head)) {
    head_is_short_ = true;
    note_shortage(head.table.missing_blocks(head.known_length() + 1) + limits_.emergency_blocks);
    if (!pool_is_empty()) return false;
  }
  if (blocks_return()) return false;
  const auto rank = rank_of(*head.request);
  for (auto at = running_.rbegin(); at != running_.rend(); ++at) {
    auto& s = sequences_.at(*at);
    if (rank_of(*s.request) <= rank) return false;
    if (s.request->classification.lane > head.request->classification.lane) return preempt(s);
  }
  return false;
}

// Blocks (and a place) are on their way back: their sequence is in a plan in flight, but in no later one.
bool batch_scheduler::blocks_return() const {
  return std::any_of(running_.begin(), running_.end(), [this](sequence_id id) {
    const auto& s = sequences_.at(id);
    return (s.ended || s.preempted) && s.in_flight > 0;
  });
}

// Takes the blocks of a running sequence. True if they are free now; those that a plan in flight touches come
// back later.
bool batch_scheduler::preempt(sequence& s) {
  s.preempted = true;
  ++s.preemptions;
  ++preemptions_;
  const bool at_once = s.in_flight == 0;
  settle(s.request->id);
  return at_once;
}

// Preempts the lowest of the sequences that rank after `better`. False if there is none, or its blocks come
// later.
bool batch_scheduler::preempt_after(sequence_id better) {
  for (auto at = running_.rbegin(); at != running_.rend() && *at != better; ++at) {
    auto& s = sequences_.at(*at);
    if (!s.ended && !s.preempted) return preempt(s);
  }
  return false;
}

}  // namespace neap::schedule
