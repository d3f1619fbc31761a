#pragma once

#include "engine/request/prompt_encoder.hpp"
#include "messages/result.hpp"

#include <vector>

namespace neap::actors {

struct encoded_request {
  result<std::vector<request::encoded_prompt>> prompts;
};

}  // namespace neap::actors
