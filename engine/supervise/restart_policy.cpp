#include "engine/supervise/restart_policy.hpp"

#include <algorithm>

namespace neap::supervise {

std::optional<steady_duration> restart_policy::lost(steady_time now) {
  while (!recent_.empty() && now - recent_.front() >= limits_.window) recent_.pop_front();
  if (recent_.size() >= limits_.restarts) return std::nullopt;
  auto delay = limits_.first_delay;
  for (std::size_t i = 0; i < recent_.size() && delay < limits_.longest_delay; ++i) delay *= 2;
  recent_.push_back(now);
  ++total_;
  return std::min(delay, limits_.longest_delay);
}

}  // namespace neap::supervise
