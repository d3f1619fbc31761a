#pragma once
// What a bench run sends, and when.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace neap::bench {

struct bench_options {
  std::string url = "http://127.0.0.1:8000";
  std::string model = "default";
  std::string api_key;
  std::size_t streams = 8;  // closed loop: requests in flight
  double rate = 0;          // open loop: mean arrivals a second (Poisson); 0 = closed loop
  std::size_t requests = 64;
  std::size_t warmup = 1;  // requests before the clock starts
  std::size_t prompt_tokens = 128;
  std::size_t max_tokens = 128;
  std::uint64_t seed = 1;
  double timeout_seconds = 300;  // of one request
  bool quiet = false;            // no progress bar
};

// A prompt of about `tokens` tokens: frequent English words, each one token in most vocabularies. The same
// seed and index give the same prompt, different ones share no prefix.
std::string make_prompt(std::size_t tokens, std::uint64_t seed, std::size_t index);

// The body of a streaming completion request that always answers with max_tokens tokens.
std::string make_body(const bench_options& options, std::size_t index);

// Arrival times in seconds of an open loop: exponential gaps of mean 1 / rate.
std::vector<double> make_arrivals(std::size_t requests, double rate, std::uint64_t seed);

}  // namespace neap::bench
