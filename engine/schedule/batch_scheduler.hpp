#pragma once
// Continuous batching (Yu et al. 2022, Orca) with chunked prefill (Agrawal et al. 2024, Sarathi-Serve) over
// leased KV blocks. Plans are made one ahead: plan N+1 is built while step N runs and refers to tokens that
// step N will sample.
//
// One thread, no clock of its own. Every submitted sequence ends exactly once: through an update that
// finishes it, or by cancel(), after which no update follows.

#include "engine/memory/block_lease.hpp"
#include "engine/schedule/batch_window.hpp"
#include "engine/schedule/sequence.hpp"
#include "messages/batch_plan.hpp"
#include "messages/result.hpp"
#include "messages/sequence_update.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace neap::schedule {

struct scheduler_limits {
  std::uint32_t model = 0;  // the executor's index of the model that all plans are for
  std::uint32_t max_sequences = 64;
  std::uint32_t max_batch_tokens = 512;
  // Most prompt tokens a step takes while other sequences decode: bounds the gap between their tokens.
  std::uint32_t prefill_tokens_beside_decodes = 256;
  std::uint32_t max_waiting = 512;
  std::uint32_t context_length = 8192;
  std::uint32_t total_blocks = 0;      // of the executor's pool
  std::uint32_t emergency_blocks = 0;  // kept from sequences that have not started
  std::uint32_t lease_step = 64;       // blocks asked for at a time
  steady_duration window = std::chrono::milliseconds{75};
};

struct scheduler_counts {
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;
  std::uint32_t blocks_used = 0;
  std::uint64_t preemptions = 0;
  std::uint32_t plans_in_flight = 0;
};

// A sequence of the running set.
struct running_sequence {
  request_id request = 0;
  std::uint32_t computed = 0;  // positions, plans in flight included
  std::uint32_t blocks = 0;    // of KV memory
};

class batch_scheduler {
 public:
  static constexpr std::uint32_t max_plans_in_flight = 2;

  explicit batch_scheduler(const scheduler_limits& limits);
  ~batch_scheduler();

  // Takes a sequence. Errors: server_overloaded if the queue is full, context_length_exceeded if it could not
  // run even alone.
  result<void> submit(sequence_request_ptr request, steady_time now);

  // Ends a sequence in any state; it is in no later plan. False if unknown or already ended.
  bool cancel(sequence_id id);

  // Blocks to ask the memory manager for, 0 if none; asked once until grant() answers.
  std::uint32_t take_lease_request();
  // The answer, possibly fewer or none.
  void grant(std::span<const block_id> blocks);
  // No answer will come; what was asked for may be asked for again.
  void lease_failed() noexcept { lease_pending_ = false; }
  // Every block held, used or free: what a new memory manager must know.
  std::vector<block_id> held_blocks() const { return lease_.held(); }
  // Free blocks beyond a small reserve, to give back when the load is low.
  std::vector<block_id> take_surplus();

  // The next plan, or nothing: nothing to do, two plans in flight, or waiting for blocks.
  std::optional<batch_plan> plan(steady_time now);

  // The outcome of the oldest plan in flight.
  sequence_update_list complete(const step_result& result, steady_time now);

  // The executor is gone and a new one, which knows no sequence, will take its place: running sequences wait
  // again and go on from their last known token. A sequence that was in the step under way of max_crashes
  // executors in a row, without a step in between, fails with `reason`.
  sequence_update_list requeue_all(const error& reason);
  static constexpr std::uint32_t max_crashes = 3;

  scheduler_counts counts() const noexcept;
  // By rank. Linear in their number.
  std::vector<running_sequence> running() const;
  bool idle() const noexcept { return sequences_.empty() && flights_.empty() && ends_.empty(); }
  // Block accounting holds (for tests). Linear in blocks.
  bool consistent() const;

 private:
  struct flight_row {
    sequence_id sequence = 0;
    std::uint32_t first_position = 0;
    bool samples = false;
  };
  struct flight {
    std::uint64_t step = 0;
    std::vector<flight_row> rows;
    std::vector<sequence_id> starts;
    std::vector<sequence_id> ends;
  };
  struct budget {
    std::uint32_t tokens = 0;                 // left in the step
    std::uint32_t prefill_tokens = 0;         // left for prompts
    std::uint32_t single_process_tokens = 0;  // of those, for a SINGLE_PROCESS prompt
    steady_time now;
  };

  using sequence_map = std::map<sequence_id, sequence>;

  bool fits_alone(const sequence_request& request) const;
  void admit_waiting(steady_time now);
  bool can_admit(const sequence& candidate) const;
  bool holds_fast_group(steady_time now) const;
  bool single_process_share_is_used(const sequence& candidate) const;
  bool make_way(const sequence& head);
  void plan_decodes(batch_plan& plan, budget& left);
  void plan_prefills(batch_plan& plan, budget& left);
  std::uint32_t chunk_of(const sequence& s, const budget& left) const;
  bool make_room(sequence& s, std::uint32_t length);
  bool add_row(batch_plan& plan, sequence& s, std::uint32_t count, budget& left);
  static std::uint8_t outputs_of(const sequence& s, bool samples);
  void open(batch_plan& plan, sequence& s, steady_time now);
  void append_tokens(batch_plan& plan, const sequence& s, std::uint32_t count) const;
  void send_ends(batch_plan& plan);
  void note_shortage(std::uint64_t blocks);
  bool pool_is_empty() const noexcept { return pool_empty_ || lease_.held_blocks() >= limits_.total_blocks; }
  bool blocks_return() const;
  bool preempt(sequence& s);
  bool preempt_after(sequence_id better);
  void settle(sequence_id id);
  void release_blocks(sequence& s);
  void blame_oldest_flight();
  void enqueue(std::vector<sequence_id>& list, sequence_id id);
  void apply_row(const row_result& row, const flight_row& planned, sequence_update_list& out);
  void fail_flight(const flight& failed, const error& reason, sequence_update_list& out);
  void fail_sequence(sequence& s, const error& reason, sequence_update_list& out);

  scheduler_limits limits_;
  memory::block_lease lease_;
  batch_window window_;
  sequence_map sequences_;
  std::vector<sequence_id> running_;  // by rank
  std::vector<sequence_id> waiting_;  // by rank
  std::deque<flight> flights_;
  std::vector<sequence_id> ends_;  // to tell the executor with the next plan
  std::uint64_t next_step_ = 1;
  std::uint64_t preemptions_ = 0;
  bool lease_pending_ = false;
  bool pool_empty_ = false;     // the last grant brought nothing
  bool head_is_short_ = false;  // the first waiting sequence lacks blocks
  std::uint32_t shortage_ = 0;
};

}  // namespace neap::schedule
