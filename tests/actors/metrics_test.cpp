// What the metrics say, without an actor: honest counts, bounded labels, text that parses.

#include "actors/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace neap::actors {
namespace {

// The text exposition format as far as we write it: name{labels} value, each family with HELP and TYPE first.
struct exposition {
  std::map<std::string, double> values;  // by name with labels
  std::map<std::string, std::set<std::string>> labels;
  std::string fault;

  explicit exposition(const std::string& text) {
    std::set<std::string> families;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("# TYPE ", 0) == 0) families.insert(line.substr(7, line.rfind(' ') - 7));
      if (line.empty() || line[0] == '#') continue;
      const auto space = line.rfind(' ');
      const auto key = line.substr(0, space);
      if (!values.emplace(key, std::stod(line.substr(space + 1))).second) fault = "twice: " + key;
      auto name = key.substr(0, key.find('{'));
      for (const std::string suffix : {"_bucket", "_sum", "_count"})
        if (families.count(name) == 0 && name.size() > suffix.size() &&
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
          name.resize(name.size() - suffix.size());
      if (families.count(name) == 0) fault = "no TYPE before " + key;
      read_labels(key);
    }
  }

  double sum(const std::string& name) const {
    double total = 0;
    for (const auto& [key, value] : values)
      if (key.substr(0, key.find('{')) == name) total += value;
    return total;
  }

 private:
  void read_labels(const std::string& key) {
    for (auto at = key.find('{'); at != std::string::npos && key[at] != '}';) {
      const auto equals = key.find('=', at);
      const auto end = key.find('"', equals + 2);
      labels[key.substr(at + 1, equals - at - 1)].insert(key.substr(equals + 2, end - equals - 2));
      at = end + 1;
    }
  }
};

request_outcome outcome_of(finish_reason reason, std::uint32_t tokens) {
  request_outcome out;
  out.reason = reason;
  out.summary.usage = {10, tokens, 0};
  out.summary.timings = {1, 2, 3, 6};
  out.has_first_token = tokens > 0;
  out.first_token_ms = 3;
  return out;
}

TEST(metrics, start_with_every_plain_series_at_zero) {
  const exposition text{metrics{}.text()};
  EXPECT_EQ(text.fault, "");
  for (const auto* name : {"neap:num_requests_running", "neap:num_requests_waiting",
                           "neap:kv_cache_usage_perc", "neap:num_preemptions_total"}) {
    ASSERT_EQ(text.values.count(name), 1U) << name;
    EXPECT_EQ(text.values.at(name), 0) << name;
  }
}

TEST(metrics, every_started_request_ends_under_one_reason) {  // R16
  metrics m;
  for (const auto reason :
       {finish_reason::stop, finish_reason::length, finish_reason::cancelled, finish_reason::failed}) {
    m.count_start();
    m.count(outcome_of(reason, 5));
  }
  const exposition text{m.text()};
  EXPECT_EQ(text.sum("neap:requests_started_total"), 4);
  EXPECT_EQ(text.sum("neap:request_success_total"), 4);
  EXPECT_EQ(text.labels.at("finished_reason"), (std::set<std::string>{"stop", "length", "abort", "error"}));
  EXPECT_EQ(text.sum("neap:generation_tokens_total"), 20);
}

TEST(metrics, a_refused_request_is_no_started_one) {
  metrics m;
  request_outcome refused;
  refused.started = false;
  refused.refused = true;
  refused.code = error_code::server_overloaded;
  m.count(refused);
  const exposition text{m.text()};
  EXPECT_EQ(text.sum("neap:admission_rejections_total"), 1);
  EXPECT_EQ(text.sum("neap:request_success_total"), 0);
  EXPECT_EQ(text.labels.at("reason"), std::set<std::string>{"server_overloaded"});
}

TEST(metrics, a_request_without_a_token_has_no_latency) {
  metrics m;
  m.count(outcome_of(finish_reason::cancelled, 0));
  const exposition none{m.text()};
  for (const auto* name : {"neap:time_to_first_token_seconds_count", "neap:e2e_request_latency_seconds_count",
                           "neap:request_queue_time_seconds_count", "neap:inter_token_latency_seconds_count"})
    EXPECT_EQ(none.sum(name), 0) << name;
  m.count(outcome_of(finish_reason::length, 1));
  const exposition one{m.text()};
  EXPECT_EQ(one.sum("neap:time_to_first_token_seconds_count"), 1);
  EXPECT_EQ(one.sum("neap:inter_token_latency_seconds_count"), 0) << "one token has no gap";
}

// C71, C72: whatever clients send, the number of series has a bound.
TEST(metrics, labels_come_from_bounded_sets) {
  metrics m;
  for (int i = 0; i < 2000; ++i) {
    auto x = outcome_of(static_cast<finish_reason>(i % 5), static_cast<std::uint32_t>(i % 7));
    x.tag.tier = static_cast<service_tier>(i % 2);
    x.tag.priority = i;
    x.summary.decisions.decision.group = static_cast<complexity_group>(i % 3);
    x.summary.decisions.decision.lane = static_cast<lane>(i / 3 % 3);
    x.summary.decisions.decision.reason = "reason " + std::to_string(i);
    x.code = static_cast<error_code>(i % 26);
    x.refused = i % 4 == 0;
    m.count(x);
  }
  const exposition text{m.text()};
  EXPECT_EQ(text.fault, "");
  std::set<std::string> names;
  for (const auto& [name, values] : text.labels) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"finished_reason", "group", "lane", "le", "reason", "tier"}));
  EXPECT_LE(text.labels.at("reason").size(), 26U);
  EXPECT_EQ(text.labels.at("group").size() * text.labels.at("lane").size() * text.labels.at("tier").size(),
            18U);
  for (const auto& [key, value] : text.values) EXPECT_TRUE(std::isfinite(value) && value >= 0) << key;
}

TEST(metrics, gauges_follow_the_last_step_and_counters_only_grow) {
  metrics m;
  m.count(step_sample{1, 3, 4, 5, 10, 6, 0.5});
  exposition text{m.text()};
  EXPECT_EQ(text.sum("neap:num_requests_running"), 3);
  EXPECT_EQ(text.sum("neap:num_requests_waiting"), 4);
  EXPECT_EQ(text.sum("neap:kv_cache_usage_perc"), 0.5);
  EXPECT_EQ(text.sum("neap:num_preemptions_total"), 6);
  m.count(step_sample{1, 0, 0, 0, 10, 2, 0.25});  // a new batcher counts from 0 again
  m.count(step_sample{0, 0, 0, 0, 0, 3, 0});
  text = exposition{m.text()};
  EXPECT_EQ(text.sum("neap:num_requests_running"), 0);
  EXPECT_EQ(text.sum("neap:kv_cache_usage_perc"), 0);
  EXPECT_EQ(text.sum("neap:num_preemptions_total"), 9);
  EXPECT_EQ(text.sum("neap:device_seconds_total"), 0.75);
  EXPECT_EQ(text.sum("neap:steps_total"), 2) << "a change without a step is none";
}

}  // namespace
}  // namespace neap::actors
