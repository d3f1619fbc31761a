#pragma once
// A batch scheduler with everything around it on one thread: pool, fake device, plans in flight, and a book
// of what each sequence received. Checks the invariants after every event.

#include "engine/memory/block_pool.hpp"
#include "engine/schedule/batch_scheduler.hpp"
#include "tests/support/fake_backend.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace neap::test {

struct received {
  sequence_request_ptr request;
  std::vector<token_id> right;  // what it must receive
  std::vector<token_id> tokens;
  std::vector<float> hidden;
  std::size_t prompt_scored = 0;
  finish_reason finish = finish_reason::none;
  std::uint32_t preemptions = 0;
  bool cancelled = false;
};

struct sequence_options {
  std::uint32_t prompt_tokens = 10;
  std::uint32_t max_tokens = 8;
  complexity_group group = complexity_group::default_batch;
  float urgency = 0.25F;
  std::vector<token_id> stop_token_ids;
  bool embeds = false;
  bool prompt_logprobs = false;
};

class scheduler_world {
 public:
  explicit scheduler_world(const schedule::scheduler_limits& limits);

  // Submits a sequence whose prompt is derived from its id. Answers the id, 0 if it was refused.
  sequence_id submit(const sequence_options& options = {});
  void cancel(sequence_id id);
  // Takes plans from the scheduler and answers its lease request, until it has no more.
  void pump();
  // Makes plans without answering lease requests; answer them with lease().
  void plan();
  void lease();
  // Runs the oldest plan in flight and hands its result back. False if there is none.
  bool complete();
  // pump and complete until nothing is left.
  void run();

  // Empty if all is well, else what is wrong.
  std::string fault() const;
  // Every sequence has ended, every answer is the whole right one, nothing is held.
  std::string fault_at_rest() const;

  const received& of(sequence_id id) const { return book_.at(id); }
  const std::map<sequence_id, received>& book() const { return book_; }
  std::deque<batch_plan>& in_flight() { return in_flight_; }

  schedule::batch_scheduler scheduler;
  memory::block_pool pool;
  fake_backend device;
  steady_time now{std::chrono::hours{1}};
  std::optional<error> last_refusal;
  // After a step that failed on purpose the device may refuse the next, which builds on it.
  bool steps_fail = false;

 private:
  void note(const sequence_update& update);

  schedule::scheduler_limits limits_;
  std::map<sequence_id, received> book_;
  std::deque<batch_plan> in_flight_;
  std::optional<std::uint32_t> lease_wanted_;
  std::set<sequence_id> forbidden_;  // cancelled: in no later plan
  std::string fault_;
  sequence_id next_ = 1;
};

// Limits for tests: small, and no waiting window.
schedule::scheduler_limits small_limits(std::uint32_t blocks, std::uint32_t max_sequences = 8);

}  // namespace neap::test
