#pragma once

#include "actors/interfaces.hpp"
#include "engine/request/prompt_encoder.hpp"

#include <memory>

namespace neap::actors {

struct text_encoder_state {
  static inline const char* name = "text_encoder";
  std::shared_ptr<const request::prompt_encoder> encoder;
  std::uint64_t prompts = 0;
};

// Spawn detached.
text_encoder_actor::behavior_type text_encoder(watched_self<text_encoder_actor, text_encoder_state> self,
                                               std::shared_ptr<const request::prompt_encoder> encoder);

}  // namespace neap::actors
