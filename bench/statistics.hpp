#pragma once
// Pure statistics of a bench run: no sockets, no clocks.

#include <cstddef>
#include <string>
#include <vector>

namespace neap::bench {

// What one request measured, in seconds from its own start.
struct request_sample {
  bool ok = false;
  std::string failure;            // first line of what went wrong
  double first_token = 0;         // time to first text
  double total = 0;               // time to the end
  std::vector<double> gaps;       // between events that carry text
  std::size_t prompt_tokens = 0;  // as the server counts them
  std::size_t answer_tokens = 0;
};

struct percentiles {
  double p50 = 0, p95 = 0, p99 = 0, mean = 0, max = 0;
};

// Nearest-rank percentiles; zeros for no values.
percentiles summarize(std::vector<double> values);

struct bench_summary {
  std::size_t requests = 0;
  std::size_t failures = 0;
  std::string first_failure;
  double seconds = 0;  // of the whole run
  std::size_t prompt_tokens = 0;
  std::size_t answer_tokens = 0;
  double answer_tokens_per_second = 0;
  double total_tokens_per_second = 0;
  double requests_per_second = 0;
  percentiles first_token;  // seconds
  percentiles gap;          // seconds
  percentiles end_to_end;   // seconds
};

bench_summary summarize(const std::vector<request_sample>& samples, double seconds);

}  // namespace neap::bench
