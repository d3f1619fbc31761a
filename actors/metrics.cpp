#include "actors/metrics.hpp"

#include "actors/request_outcome.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace neap::actors {
namespace {

using prometheus::Histogram;
using labels = prometheus::Labels;

// vLLM's bucket bounds, in seconds.
const Histogram::BucketBoundaries first_token_buckets{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08,
                                                      0.1,   0.25,  0.5,  0.75, 1,    2.5,  5,
                                                      7.5,   10,    20,   40,   80,   160,  640};
const Histogram::BucketBoundaries token_gap_buckets{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                                    0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
const Histogram::BucketBoundaries request_buckets{0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,  15,
                                                  20,  30,  40,  50, 60,  120, 240, 480, 960, 1920};

labels labels_of(const request_outcome& outcome) {
  const auto& decision = outcome.summary.decisions.decision;
  return {{"lane", std::string{to_string(decision.lane)}},
          {"group", std::string{to_string(decision.group)}},
          {"tier", std::string{to_string(outcome.tag.tier)}}};
}

}  // namespace

struct metrics::series {
  prometheus::Registry registry;

  prometheus::Family<prometheus::Gauge>& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
  prometheus::Family<prometheus::Counter>& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  prometheus::Family<Histogram>& histogram(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }

  prometheus::Gauge& running = gauge("neap:num_requests_running", "Sequences in the running set.").Add({});
  prometheus::Gauge& waiting = gauge("neap:num_requests_waiting", "Sequences that wait.").Add({});
  prometheus::Gauge& cache_usage =
      gauge("neap:kv_cache_usage_perc", "Share of KV blocks in use, 0 to 1.").Add({});
  prometheus::Counter& preemptions =
      counter("neap:num_preemptions_total", "Sequences that gave their blocks back.").Add({});
  prometheus::Counter& prompt_tokens =
      counter("neap:prompt_tokens_total", "Prompt tokens of finished requests.").Add({});
  prometheus::Counter& answer_tokens =
      counter("neap:generation_tokens_total", "Answer tokens of finished requests.").Add({});
  prometheus::Counter& device_seconds =
      counter("neap:device_seconds_total", "Time the device spent in steps.").Add({});
  prometheus::Counter& steps = counter("neap:steps_total", "Steps of the executor.").Add({});
  prometheus::Counter& started =
      counter("neap:requests_started_total", "Requests taken, ended or not.").Add({});
  prometheus::Family<prometheus::Counter>& success =
      counter("neap:request_success_total", "Ended requests by reason: stop, length, abort or error.");
  prometheus::Family<prometheus::Counter>& rejections =
      counter("neap:admission_rejections_total", "Requests refused for lack of room or in a drain.");
  prometheus::Family<Histogram>& first_token =
      histogram("neap:time_to_first_token_seconds", "Arrival to first token.");
  prometheus::Family<Histogram>& token_gap =
      histogram("neap:inter_token_latency_seconds", "Mean gap between tokens of a request.");
  prometheus::Family<Histogram>& whole =
      histogram("neap:e2e_request_latency_seconds", "Arrival to last token.");
  prometheus::Family<Histogram>& queue =
      histogram("neap:request_queue_time_seconds", "Arrival to first step.");
  std::uint64_t last_preemptions = 0;
};

metrics::metrics() : series_(std::make_unique<series>()) {}
metrics::~metrics() = default;

void metrics::count_start() { series_->started.Increment(); }

void metrics::count(const request_outcome& outcome) {
  auto& s = *series_;
  if (outcome.refused) s.rejections.Add({{"reason", std::string{error_name(outcome.code)}}}).Increment();
  if (!outcome.started) return;
  auto names = labels_of(outcome);
  const auto& summary = outcome.summary;
  s.prompt_tokens.Increment(static_cast<double>(summary.usage.prompt_tokens));
  s.answer_tokens.Increment(static_cast<double>(summary.usage.completion_tokens));
  // A request that never produced a token has no latency to report.
  if (outcome.has_first_token) {
    s.first_token.Add(names, first_token_buckets).Observe(outcome.first_token_ms / 1e3);
    s.queue.Add(names, request_buckets).Observe(summary.timings.queue_ms / 1e3);
    s.whole.Add(names, request_buckets).Observe(summary.timings.total_ms / 1e3);
    if (summary.usage.completion_tokens > 1)
      s.token_gap.Add(names, token_gap_buckets)
          .Observe(summary.timings.decode_ms / 1e3 /
                   static_cast<double>(summary.usage.completion_tokens - 1));
  }
  names.emplace("finished_reason", std::string{ended_by(outcome)});
  s.success.Add(names).Increment();
}

void metrics::count(const step_sample& sample) {
  auto& s = *series_;
  s.running.Set(sample.running);
  s.waiting.Set(sample.waiting);
  s.cache_usage.Set(sample.blocks_total == 0 ? 0
                                             : static_cast<double>(sample.blocks_used) / sample.blocks_total);
  // Fewer than before: a new batcher that counts from 0.
  const auto known = sample.preemptions < s.last_preemptions ? 0 : s.last_preemptions;
  s.preemptions.Increment(static_cast<double>(sample.preemptions - known));
  s.last_preemptions = sample.preemptions;
  s.device_seconds.Increment(sample.device_seconds);
  s.steps.Increment(sample.steps);
}

std::string metrics::text() const {
  return prometheus::TextSerializer{}.Serialize(series_->registry.Collect());
}

}  // namespace neap::actors
