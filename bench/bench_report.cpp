#include "bench/bench_report.hpp"

#include <boost/json.hpp>

#include <cstdarg>
#include <cstdio>

namespace neap::bench {
namespace {

[[gnu::format(printf, 1, 2)]] std::string line(const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return std::string{buffer} + "\n";
}

std::string row(const char* name, const percentiles& x) {
  return line("%-22s %9.1f %9.1f %9.1f %9.1f %9.1f", name, 1e3 * x.p50, 1e3 * x.p95, 1e3 * x.p99,
              1e3 * x.mean, 1e3 * x.max);
}

boost::json::object object(const percentiles& x) {
  return {{"p50", 1e3 * x.p50},
          {"p95", 1e3 * x.p95},
          {"p99", 1e3 * x.p99},
          {"mean", 1e3 * x.mean},
          {"max", 1e3 * x.max}};
}

}  // namespace

std::string format_table(const bench_options& options, const bench_summary& s) {
  std::string out;
  out += options.rate > 0
             ? line("%s  open loop, %.2f requests/s (Poisson)", options.url.c_str(), options.rate)
             : line("%s  closed loop, %zu streams", options.url.c_str(), options.streams);
  out += line("%zu requests in %.2f s, %zu failed; %zu prompt and %zu answer tokens", s.requests, s.seconds,
              s.failures, s.prompt_tokens, s.answer_tokens);
  out += line("%.1f answer tokens/s, %.1f tokens/s with prompts, %.2f requests/s", s.answer_tokens_per_second,
              s.total_tokens_per_second, s.requests_per_second);
  out += line("%-22s %9s %9s %9s %9s %9s", "milliseconds", "p50", "p95", "p99", "mean", "max");
  out += row("time to first token", s.first_token);
  out += row("gap between tokens", s.gap);
  out += row("end to end", s.end_to_end);
  if (s.failures > 0) out += "first failure: " + s.first_failure + "\n";
  return out;
}

std::string format_json(const bench_options& options, const bench_summary& s) {
  return boost::json::serialize(boost::json::object{
      {"url", options.url},
      {"model", options.model},
      {"streams", options.rate > 0 ? 0 : options.streams},
      {"rate", options.rate},
      {"max_tokens", options.max_tokens},
      {"seed", options.seed},
      {"requests", s.requests},
      {"failures", s.failures},
      {"seconds", s.seconds},
      {"prompt_tokens", s.prompt_tokens},
      {"answer_tokens", s.answer_tokens},
      {"answer_tokens_per_second", s.answer_tokens_per_second},
      {"total_tokens_per_second", s.total_tokens_per_second},
      {"requests_per_second", s.requests_per_second},
      {"time_to_first_token_ms", object(s.first_token)},
      {"inter_token_latency_ms", object(s.gap)},
      {"end_to_end_ms", object(s.end_to_end)},
  });
}

}  // namespace neap::bench
