#pragma once
// A validated client request as native values: what the HTTP, WebSocket and embedding edges hand to
// `ingress`.

#include "messages/ids.hpp"
#include "messages/prompt.hpp"
#include "messages/routing.hpp"
#include "messages/sampling_params.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace neap {

struct stop_rules {
  std::vector<std::string> strings;  // at most 4, each 1-256 bytes of UTF-8; not part of the answer
  std::vector<token_id> token_ids;   // end the answer too; not part of its text
  bool ignore_eos = false;
};

struct generation_request {
  request_id id = 0;
  std::string model;            // as the client wrote it; already resolved to a served model
  std::vector<prompt> prompts;  // at least one
  // Answers to each prompt; the choice index of answer i to prompt p is p * choices_per_prompt + i.
  std::uint32_t choices_per_prompt = 1;
  sampling_params sampling;
  stop_rules stop;
  // Absent: the rest of the context within the tier's cap.
  std::optional<std::uint32_t> max_tokens;  // 0 only with echo
  routing_tag tag;
  std::optional<std::chrono::milliseconds> deadline;  // from arrival
  steady_time arrival;
  bool echo = false;    // answers begin with the prompt's text
  bool embeds = false;  // the answer to a prompt is its mean hidden state; nothing is generated

  std::size_t choices() const noexcept { return prompts.size() * choices_per_prompt; }
};

using generation_request_ptr = std::shared_ptr<const generation_request>;

}  // namespace neap
