// Admission, leases and the end of sequences. Plans: batch_scheduler_plan.cpp; results:
// batch_scheduler_complete.cpp.

#include "engine/schedule/batch_scheduler.hpp"

#include <algorithm>
#include <string>

namespace neap::schedule {

batch_scheduler::batch_scheduler(const scheduler_limits& limits)
    : limits_(limits), window_(limits.window, std::max<std::uint32_t>(limits.max_sequences / 4, 1)) {}

batch_scheduler::~batch_scheduler() {
  for (auto& [id, s] : sequences_) release_blocks(s);
}

bool batch_scheduler::fits_alone(const sequence_request& request) const {
  const auto length = std::uint64_t{request.prompt->size()} + request.max_tokens;
  return length <= limits_.context_length && memory::blocks_for(length) <= limits_.total_blocks;
}

result<void> batch_scheduler::submit(sequence_request_ptr request, steady_time now) {
  // Whoever waits only for the first blocks to arrive is as good as running.
  if (waiting_.size() + running_.size() >= std::size_t{limits_.max_waiting} + limits_.max_sequences)
    return error{
        error_code::server_overloaded,
        "the queue is full (" + std::to_string(limits_.max_waiting) + " sequences wait); try again later",
        ""};
  if (!fits_alone(*request))
    return error{
        error_code::context_length_exceeded,
        "the prompt has " + std::to_string(request->prompt->size()) + " tokens and asks for " +
            std::to_string(request->max_tokens) + " more; this server holds " +
            std::to_string(std::min<std::uint64_t>(
                limits_.context_length, std::uint64_t{limits_.total_blocks} * memory::block_tokens)) +
            " tokens of one sequence",
        "prompt"};
  if (request->classification.group == complexity_group::fast_group) window_.arrived(now);
  const auto id = request->id;
  auto& s = sequences_[id];
  s.tokens = *request->prompt;
  s.request = std::move(request);
  enqueue(waiting_, id);
  return {};
}

void batch_scheduler::enqueue(std::vector<sequence_id>& list, sequence_id id) {
  const auto before = [this](sequence_id a, sequence_id b) {
    const auto x = rank_of(*sequences_.at(a).request), y = rank_of(*sequences_.at(b).request);
    return x != y ? x < y : a < b;
  };
  list.insert(std::upper_bound(list.begin(), list.end(), id, before), id);
}

bool batch_scheduler::cancel(sequence_id id) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end() || found->second.ended) return false;
  found->second.ended = true;
  settle(id);
  return true;
}

// A sequence that no plan in flight touches any more may leave, or give its blocks back.
void batch_scheduler::settle(sequence_id id) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end()) return;
  auto& s = found->second;
  if (s.in_flight > 0 || (!s.ended && !s.preempted)) return;
  release_blocks(s);
  std::erase(running_, id);
  if (s.ended) {
    std::erase(waiting_, id);
    if (s.opened) ends_.push_back(id);
    sequences_.erase(found);
    return;
  }
  s.preempted = false;
  s.computed = 0;
  enqueue(waiting_, id);
}

void batch_scheduler::release_blocks(sequence& s) {
  for (const auto block : s.table.clear()) lease_.drop(block);
}

std::uint32_t batch_scheduler::take_lease_request() {
  const auto shortage = std::exchange(shortage_, 0);
  if (lease_pending_ || sequences_.empty()) return 0;
  const bool low = lease_.free_blocks() < limits_.lease_step / 2;
  const auto wanted = shortage + (low ? limits_.lease_step : 0);
  if (wanted == 0 || pool_is_empty()) return 0;
  const auto room = limits_.total_blocks - lease_.held_blocks();
  lease_pending_ = true;
  return std::min(std::max(wanted, limits_.lease_step), room);
}

void batch_scheduler::grant(std::span<const block_id> blocks) {
  lease_pending_ = false;
  pool_empty_ = blocks.empty();
  lease_.grant(blocks);
}

std::vector<running_sequence> batch_scheduler::running() const {
  std::vector<running_sequence> out;
  for (const auto id : running_) {
    const auto& s = sequences_.at(id);
    out.push_back({s.request->request, s.computed, static_cast<std::uint32_t>(s.table.blocks().size())});
  }
  return out;
}

std::vector<block_id> batch_scheduler::take_surplus() {
  if (head_is_short_) return {};  // they come too late for this plan, but not for the next
  const auto reserve = sequences_.empty() ? limits_.lease_step : 2 * limits_.lease_step;
  auto blocks = lease_.free_blocks() > 2 * reserve ? lease_.return_surplus(reserve) : std::vector<block_id>{};
  if (!blocks.empty()) pool_empty_ = false;
  return blocks;
}

scheduler_counts batch_scheduler::counts() const noexcept {
  return {static_cast<std::uint32_t>(running_.size()), static_cast<std::uint32_t>(waiting_.size()),
          lease_.used_blocks(), preemptions_, static_cast<std::uint32_t>(flights_.size())};
}

bool batch_scheduler::consistent() const {
  std::size_t blocks = 0;
  for (const auto& [id, s] : sequences_) blocks += s.table.blocks().size();
  return lease_.consistent() && blocks == lease_.used_blocks() &&
         running_.size() + waiting_.size() == sequences_.size();
}

}  // namespace neap::schedule
