#pragma once
// How a request ended, as the metrics want to know it.

#include "actors/type_ids.hpp"
#include "engine/request/request_state.hpp"

#include <string>
#include <string_view>

namespace neap::actors {

// `refused`: for lack of room or in a drain; `code` of the failure, if it failed.
request_outcome_ptr outcome_of(const request::request_state& request, steady_time now, bool refused,
                               error_code code);

// Of a request whose actor died: counted as failed, without latencies.
request_outcome_ptr lost_outcome(const request::request_state& request);

// "stop", "length", "abort" or "error", as metrics and logs name it.
std::string_view ended_by(const request_outcome& outcome) noexcept;

// One line with the tag, what was decided and how long it took, as name=value pairs. Latencies only of requests that
// got a token.
std::string log_line(const request_outcome& outcome);

}  // namespace neap::actors
