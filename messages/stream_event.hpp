#pragma once
// What a client of the engine receives, in order: one accepted, any number of deltas, one choice end per
// choice, one summary; or a failure at any point, after which nothing follows.

#include "messages/error.hpp"
#include "messages/ids.hpp"
#include "messages/routing.hpp"
#include "messages/step_result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace neap {

// All prompts are encoded and fit: from here on a failure is a stream error, before it a status line.
struct stream_accepted {
  std::vector<std::uint32_t> prompt_tokens;  // of each choice; those of one prompt are the same
};

// New text of one choice; always whole UTF-8 characters. Text may be empty while a character or a stop string
// is open.
struct stream_delta {
  std::uint32_t choice = 0;
  std::string text;
  std::vector<token_id> tokens;
};

struct stream_choice_end {
  std::uint32_t choice = 0;
  finish_reason reason = finish_reason::stop;
};

struct token_usage {
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;
  std::uint64_t cached_tokens = 0;
};

// Milliseconds, from the steady clock.
struct request_timings {
  double queue_ms = 0;    // arrival to first step
  double prefill_ms = 0;  // first step to first token
  double decode_ms = 0;   // first token to last
  double total_ms = 0;
};

struct request_decisions {
  classification decision;  // of the first choice
  routing_tag tag;
  std::uint32_t preemptions = 0;
  std::uint32_t attempts = 1;
};

struct stream_summary {
  token_usage usage;
  request_timings timings;
  request_decisions decisions;
};

using stream_event = std::variant<stream_accepted, stream_delta, stream_choice_end, stream_summary, error>;

// The seam between an actor and a connection (or any other consumer). Called on an actor's thread; must not
// block.
class token_sink {
 public:
  virtual ~token_sink() = default;
  virtual void push(stream_event event) = 0;
};

using token_sink_ptr = std::shared_ptr<token_sink>;

}  // namespace neap
