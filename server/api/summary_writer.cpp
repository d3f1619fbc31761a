#include "server/api/summary_writer.hpp"

namespace neap::api {

void write_summary(json_writer& out, const stream_summary& summary,
                   std::span<const std::string> ignored_fields) {
  const auto& times = summary.timings;
  out.key("timings").begin_object();
  out.key("queue_ms").milliseconds(times.queue_ms);
  out.key("prefill_ms").milliseconds(times.prefill_ms);
  out.key("decode_ms").milliseconds(times.decode_ms);
  out.key("total_ms").milliseconds(times.total_ms);
  out.field("cached_tokens", summary.usage.cached_tokens).end_object();
  const auto& decisions = summary.decisions;
  out.key("neap").begin_object();
  out.field("group", neap::to_string(decisions.decision.group)).field("reason", decisions.decision.reason);
  out.field("lane", neap::to_string(decisions.decision.lane));
  out.field("tier", neap::to_string(decisions.tag.tier));
  out.field("preemptions", decisions.preemptions).field("attempts", decisions.attempts);
  out.key("ignored_fields").begin_array();
  for (const auto& name : ignored_fields) out.string(name);
  out.end_array().end_object();
}

}  // namespace neap::api
