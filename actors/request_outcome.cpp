#include "actors/request_outcome.hpp"

#include <algorithm>
#include <sstream>

namespace neap::actors {

request_outcome_ptr outcome_of(const request::request_state& request, steady_time now, bool refused,
                               error_code code) {
  auto out = std::make_shared<request_outcome>();
  out->id = request.request().id;
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
  out->id = request.request().id;
  out->tag = request.request().tag;
  out->reason = finish_reason::failed;
  return out;
}

std::string_view ended_by(const request_outcome& outcome) noexcept {
  switch (outcome.reason) {
    case finish_reason::stop:
      return "stop";
    case finish_reason::length:
      return "length";
    case finish_reason::cancelled:
      return "abort";
    default:
      return "error";
  }
}

std::string log_line(const request_outcome& outcome) {
  const auto& summary = outcome.summary;
  const auto& decision = summary.decisions.decision;
  const auto& tag = outcome.tag;
  std::ostringstream out;
  out << "request " << outcome.id << (outcome.started ? " ended: " : " refused: ") << ended_by(outcome);
  if (outcome.reason == finish_reason::failed) out << ' ' << error_name(outcome.code);
  out << " tier=" << to_string(tag.tier) << " request_type=" << to_string(tag.type)
      << " sensitivity=" << to_string(tag.sensitivity) << " priority=" << tag.priority;
  if (outcome.has_first_token) {
    out << " group=" << to_string(decision.group) << " lane=" << to_string(decision.lane)
        << " prompt_tokens=" << summary.usage.prompt_tokens
        << " completion_tokens=" << summary.usage.completion_tokens << " queue_ms=" << summary.timings.queue_ms
        << " first_token_ms=" << outcome.first_token_ms << " total_ms=" << summary.timings.total_ms;
  }
  return out.str();
}

}  // namespace neap::actors
