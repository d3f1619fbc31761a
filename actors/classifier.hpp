#pragma once

#include "actors/interfaces.hpp"
#include "engine/schedule/route.hpp"

namespace neap::actors {

struct classifier_state {
  static inline const char* name = "classifier";
  schedule::classify_policy policy;
  std::uint64_t classified[3] = {0, 0, 0};  // by group
};

classifier_actor::behavior_type classifier(watched_self<classifier_actor, classifier_state> self,
                                           schedule::classify_policy policy);

}  // namespace neap::actors
