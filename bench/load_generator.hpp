#pragma once
// Drives an OpenAI-compatible address with streaming requests; one thread, asynchronous sockets.

#include "bench/statistics.hpp"
#include "bench/workload.hpp"
#include "messages/result.hpp"

#include <functional>
#include <string>

namespace neap::bench {

// Called after each request with the number done.
using bench_progress = std::function<void(std::size_t done, std::size_t total)>;

// Warms up, runs the load and summarises it. Blocks. Error if the server cannot be reached at all.
result<bench_summary> run_bench(const bench_options& options, const bench_progress& progress);

}  // namespace neap::bench
