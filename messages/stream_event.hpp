#pragma once
// What a client of the engine receives, in order: one accepted, any number of deltas (or one embedding) and
// one choice end per choice, one summary; or a failure at any point, after which nothing follows.

#include "messages/error.hpp"
#include "messages/ids.hpp"
#include "messages/routing.hpp"
#include "messages/step_result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace neap {

// All prompts are encoded and fit: from here on a failure is a stream error, before it a status line.
struct stream_accepted {
  std::vector<std::uint32_t> prompt_tokens;  // of each choice; those of one prompt are the same
};

struct scored_text {
  std::string bytes;             // what a token stands for, possibly a part of a character
  std::optional<float> logprob;  // none for the first token of a prompt: nothing predicts it
};

// A token of an answer with its log-probability.
struct scored_token {
  scored_text token;
  std::vector<scored_text> top;   // the most likely ones at its place, best first
  std::uint64_t text_offset = 0;  // where its text begins in the answer, in characters
};

// New text of one choice; always whole UTF-8 characters. Text may be empty while a character or a stop string
// is open.
struct stream_delta {
  std::uint32_t choice = 0;
  std::string text;
  std::vector<token_id> tokens;
  // Where asked for, of the tokens whose text is sent by now; tokens without text in the answer have none.
  std::vector<scored_token> scores = {};
};

// The mean hidden state of a prompt, one event a prompt, before its choice end.
struct stream_embedding {
  std::uint32_t choice = 0;
  std::vector<float> values;
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

using stream_event =
    std::variant<stream_accepted, stream_delta, stream_embedding, stream_choice_end, stream_summary, error>;

// The seam between an actor and a connection (or any other consumer). Called on an actor's thread; must not
// block.
class token_sink {
 public:
  virtual ~token_sink() = default;
  virtual void push(stream_event event) = 0;
};

using token_sink_ptr = std::shared_ptr<token_sink>;

}  // namespace neap
