// A request as reports show it.

#include "engine/request/request_state.hpp"

#include <algorithm>
#include <chrono>

namespace neap::request {

request_view request_state::view(steady_time now) const {
  request_view out;
  out.id = request_->id;
  out.model = request_->model;
  out.tag = request_->tag;
  if (first_token_)
    out.stage = request_stage::decoding;
  else if (!choices_.empty())
    out.stage = request_stage::queued;
  if (!decision_.reason.empty()) out.decision = decision_;
  out.age = std::max(0.0, std::chrono::duration<double>(now - request_->arrival).count());
  out.prompt_tokens = usage_prompt_tokens_;
  out.choices = static_cast<std::uint32_t>(request_->choices());
  out.open_choices = choices_.empty() ? out.choices : 0;
  for (const auto& each : choices_) {
    out.completion_tokens += each.completion_tokens;
    out.preemptions += each.preemptions;
    if (!each.ended) ++out.open_choices;
  }
  return out;
}

}  // namespace neap::request
