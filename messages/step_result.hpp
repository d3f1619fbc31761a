#pragma once
// What one step produced. Executor -> batcher.

#include "messages/error.hpp"
#include "messages/ids.hpp"
#include "messages/token_logprobs.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace neap {

enum class finish_reason : std::uint8_t {
  none,    // not finished
  stop,    // end-of-generation or stop token, or a stop string
  length,  // max_tokens reached
  cancelled,
  failed,
};

struct row_result {
  sequence_id sequence = 0;
  token_id token = -1;  // sampled token, -1 if none was asked for
  // Set by the executor when the token ends the sequence. A later row of an ended sequence is skipped.
  finish_reason finish = finish_reason::none;
  bool skipped = false;
  std::vector<float> logits;               // [vocabulary], or [token_count, vocabulary] for output_all_logits
  std::vector<float> hidden;               // [hidden]
  std::optional<token_logprobs> logprobs;  // of `token`, where the sequence asks for them
  std::vector<token_logprobs>
      prompt_logprobs;  // output_prompt_logprobs: of the tokens after the row's, in order
};

struct step_result {
  std::uint64_t step = 0;
  std::vector<row_result> rows;            // one per row of the plan, same order
  std::chrono::nanoseconds device_time{};  // time the device was busy with it
  std::optional<error> failure;            // the whole step failed; rows is empty
};

using step_result_ptr = std::shared_ptr<const step_result>;

}  // namespace neap
