#include "actors/request_outcome.hpp"

#include <algorithm>

namespace neap::actors {

request_outcome_ptr outcome_of(const request::request_state& request, steady_time now, bool refused,
                               error_code code) {
  auto out = std::make_shared<request_outcome>();
  out->tag = request.request().tag;
  out->summary = request.summary(now);
  out->reason = request.last_reason();
  out->refused = refused;
  out->code = code;
  if (const auto first = request.first_token()) {
    out->has_first_token = true;
    const auto wait = std::max(*first - request.request().arrival, steady_duration::zero());
    out->first_token_ms = std::chrono::duration<double, std::milli>(wait).count();
  }
  return out;
}

request_outcome_ptr lost_outcome(const request::request_state& request) {
  auto out = std::make_shared<request_outcome>();
  out->tag = request.request().tag;
  out->reason = finish_reason::failed;
  return out;
}

}  // namespace neap::actors
