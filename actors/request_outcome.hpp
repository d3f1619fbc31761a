#pragma once
// How a request ended, as the metrics want to know it.

#include "actors/type_ids.hpp"
#include "engine/request/request_state.hpp"

namespace neap::actors {

// `refused`: for lack of room or in a drain; `code` of the failure, if it failed.
request_outcome_ptr outcome_of(const request::request_state& request, steady_time now, bool refused,
                               error_code code);

// Of a request whose actor died: counted as failed, without latencies.
request_outcome_ptr lost_outcome(const request::request_state& request);

}  // namespace neap::actors
