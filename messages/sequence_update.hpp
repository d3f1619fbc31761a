#pragma once
// What a step did to one sequence. Batcher -> request actor, one list a step.

#include "messages/ids.hpp"
#include "messages/step_result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace neap {

struct sequence_update {
  sequence_id sequence = 0;
  token_id token = -1;  // new token, -1 if none
  finish_reason finish = finish_reason::none;
  std::uint32_t preemptions = 0;                // so far
  steady_time first_step;                       // start of the sequence's first step
  std::optional<error> failure;                 // with finish_reason::failed
  std::optional<token_logprobs> logprobs = {};  // of `token`, where asked for
  std::vector<token_logprobs> prompt_logprobs =
      {};                          // of the next prompt tokens, each once, from the second on
  std::vector<float> hidden = {};  // embeddings: the mean hidden state, at the end
};

using sequence_update_list = std::vector<sequence_update>;
using sequence_update_list_ptr = std::shared_ptr<const sequence_update_list>;

}  // namespace neap
