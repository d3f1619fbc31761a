#pragma once
// The metrics of a node: vLLM's names with prefix "neap:", labels from bounded sets only.

#include "actors/type_ids.hpp"

#include <memory>
#include <string>

namespace neap::actors {

class metrics {
 public:
  metrics();
  ~metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  // A request was taken. Started requests = ended ones (request_success_total of all reasons) + live ones.
  void count_start();
  void count(const request_outcome& outcome);
  void count(const step_sample& sample);

  // Prometheus text exposition format.
  std::string text() const;

 private:
  struct series;
  std::unique_ptr<series> series_;
};

}  // namespace neap::actors
