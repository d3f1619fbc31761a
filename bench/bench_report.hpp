#pragma once

#include "bench/statistics.hpp"
#include "bench/workload.hpp"

#include <string>

namespace neap::bench {

// A table for people.
std::string format_table(const bench_options& options, const bench_summary& summary);

// The same figures as one JSON object; durations in milliseconds.
std::string format_json(const bench_options& options, const bench_summary& summary);

}  // namespace neap::bench
