#include "bench/workload.hpp"

#include <boost/json.hpp>

#include <array>
#include <cmath>
#include <random>
#include <string_view>

namespace neap::bench {
namespace {

constexpr std::array<std::string_view, 48> words{
    "time",  "people",  "way",    "water",  "day",     "man",    "year",  "world", "life",   "hand",
    "part",  "place",   "case",   "week",   "company", "system", "work",  "group", "number", "night",
    "point", "home",    "room",   "mother", "area",    "money",  "story", "fact",  "month",  "lot",
    "right", "study",   "book",   "eye",    "job",     "word",   "issue", "side",  "kind",   "head",
    "house", "service", "friend", "father", "power",   "hour",   "game",  "line"};

// One step of SplitMix64 (Steele et al. 2014): a stream per (seed, index).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

std::string make_prompt(std::size_t tokens, std::uint64_t seed, std::size_t index) {
  std::uint64_t state = mix(seed * 1'000'003 + index);
  std::string out;
  for (std::size_t i = 0; i < tokens; ++i) {
    state = mix(state);
    if (i > 0) out += ' ';
    out += words[state % words.size()];
  }
  return out;
}

std::string make_body(const bench_options& options, std::size_t index) {
  return boost::json::serialize(boost::json::object{
      {"model", options.model},
      {"prompt", make_prompt(options.prompt_tokens, options.seed, index)},
      {"max_tokens", options.max_tokens},
      {"temperature", 0},
      {"ignore_eos", true},
      {"stream", true},
      {"stream_options", {{"include_usage", true}}},
  });
}

std::vector<double> make_arrivals(std::size_t requests, double rate, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<double> out;
  double now = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    // By inversion: std::exponential_distribution differs between libraries.
    const double uniform = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    now += -std::log(uniform) / rate;
    out.push_back(now);
  }
  return out;
}

}  // namespace neap::bench
