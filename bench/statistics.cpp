#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neap::bench {
namespace {

double rank(const std::vector<double>& sorted, double share) {
  const auto index = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(index, 1, sorted.size()) - 1];
}

double per_second(std::size_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

percentiles summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {rank(values, 0.5), rank(values, 0.95), rank(values, 0.99), sum / static_cast<double>(values.size()),
          values.back()};
}

bench_summary summarize(const std::vector<request_sample>& samples, double seconds) {
  bench_summary out;
  out.requests = samples.size();
  out.seconds = seconds;
  std::vector<double> first, gaps, whole;
  for (const auto& sample : samples) {
    if (!sample.ok) {
      if (out.failures++ == 0) out.first_failure = sample.failure;
      continue;
    }
    first.push_back(sample.first_token);
    whole.push_back(sample.total);
    gaps.insert(gaps.end(), sample.gaps.begin(), sample.gaps.end());
    out.prompt_tokens += sample.prompt_tokens;
    out.answer_tokens += sample.answer_tokens;
  }
  out.answer_tokens_per_second = per_second(out.answer_tokens, seconds);
  out.total_tokens_per_second = per_second(out.answer_tokens + out.prompt_tokens, seconds);
  out.requests_per_second = per_second(out.requests - out.failures, seconds);
  out.first_token = summarize(std::move(first));
  out.gap = summarize(std::move(gaps));
  out.end_to_end = summarize(std::move(whole));
  return out;
}

}  // namespace neap::bench
