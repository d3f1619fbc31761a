#pragma once
// One sequence inside the scheduler.

#include "engine/memory/block_table.hpp"
#include "messages/sequence_request.hpp"
#include "messages/step_result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace neap::schedule {

struct sequence {
  sequence_request_ptr request;
  std::vector<token_id> tokens;  // prompt and known answer
  std::uint32_t computed = 0;    // positions whose KV is computed or in a plan in flight
  std::uint32_t pending = 0;     // tokens that plans in flight will sample
  std::uint32_t in_flight = 0;   // plans that have a row of it
  std::uint32_t preemptions = 0;
  std::uint32_t crashes = 0;        // executors lost in a row in a step with a row of it
  std::uint32_t prompt_scored = 0;  // prompt tokens whose log-probabilities were passed on
  bool opened = false;              // known to the executor
  bool preempted = false;           // gives its blocks back once no plan has a row of it
  bool ended = false;
  steady_time first_step{};
  memory::block_table table;

  std::uint32_t prompt_length() const { return static_cast<std::uint32_t>(request->prompt->size()); }
  std::uint32_t known_length() const { return static_cast<std::uint32_t>(tokens.size()); }
  // Answer tokens made or in the making.
  std::uint32_t answer_length() const { return known_length() - prompt_length() + pending; }
  // Positions it may still compute now: known tokens, and the one pending token that a plan may refer to.
  std::uint32_t ready_tokens() const { return known_length() + pending - computed; }
  // Nothing is sampled: it ends once its prompt is computed.
  bool prefill_only() const { return request->max_tokens == 0; }
  bool is_computed() const { return prefill_only() && in_flight == 0 && computed == known_length(); }
  bool wants_sample() const { return answer_length() < request->max_tokens; }
  bool is_fast_group() const { return request->classification.group == complexity_group::fast_group; }
  bool is_single_process() const { return request->classification.group == complexity_group::single_process; }
  bool is_prefill() const { return computed + 1 < known_length(); }
};

// Virtual arrival time: lower goes first. Urgency, group and priority move it by bounded amounts, so a
// waiting request overtakes every later arrival in the end (ageing).
steady_time rank_of(const sequence_request& request) noexcept;

}  // namespace neap::schedule
