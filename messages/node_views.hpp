#pragma once
// What a running node says about itself: one view an actor, one a live request. Plain values, for any thread.

#include "messages/ids.hpp"
#include "messages/routing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neap {

// Times in seconds.
struct actor_view {
  std::string name;
  std::uint64_t id = 0;
  std::uint32_t restarts = 0;
  bool answered = false;      // within the time limit; else `state` is empty and the rest comes from its card
  std::uint64_t queued = 0;   // messages waiting, the one at work included
  std::uint64_t handled = 0;  // messages so far
  double busy_for = 0;        // in the message at work; 0 between messages
  double busy_total = 0;      // in all messages
  double age = 0;             // since its start
  std::vector<std::pair<std::string, std::string>> state;  // its own figures, in a fixed order
};

enum class request_stage : std::uint8_t {
  encoding,  // template and tokenizer
  queued,    // waits for its first step
  prefill,   // its prompt is computed
  decoding,  // tokens come
};
std::string_view to_string(request_stage x) noexcept;

struct request_view {
  request_id id = 0;
  std::string model;
  routing_tag tag;
  request_stage stage = request_stage::encoding;
  std::optional<classification> decision;  // of the first choice
  double age = 0;                          // seconds since arrival
  std::uint64_t prompt_tokens = 0;
  std::uint64_t completion_tokens = 0;  // of all choices so far
  std::uint32_t choices = 0;
  std::uint32_t open_choices = 0;
  std::uint32_t preemptions = 0;
  std::uint64_t computed_tokens = 0;  // positions of its running sequences whose KV is there
  std::uint32_t kv_blocks = 0;        // they hold
};

}  // namespace neap
