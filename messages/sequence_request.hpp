#pragma once
// One sequence to generate: what travels from the request's actor over classifier to batcher.

#include "messages/ids.hpp"
#include "messages/routing.hpp"
#include "messages/sampling_params.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace neap {

using token_vector_ptr = std::shared_ptr<const std::vector<token_id>>;

struct sequence_request {
  sequence_id id = 0;
  request_id request = 0;
  token_vector_ptr prompt;  // never empty
  sampling_params sampling;
  std::vector<token_id> stop_token_ids;  // end-of-generation ids (unless ignore_eos) and the client's own
  // prompt + max_tokens <= context length; 0: ends once its prompt is computed.
  std::uint32_t max_tokens = 1;
  bool embeds = false;  // its result is the mean hidden state of the prompt; with max_tokens 0
  routing_tag tag;
  neap::classification classification;  // filled in by the classifier
  std::string prompt_text;              // as far as known: features for the classifier; may be empty
  steady_time arrival;
};

using sequence_request_ptr = std::shared_ptr<const sequence_request>;

}  // namespace neap
