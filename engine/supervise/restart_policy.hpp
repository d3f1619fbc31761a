#pragma once
// When a crashed actor is started again, and when the process must give up. The idea of restart intensity is that of
// Erlang/OTP's supervisors: a fault that comes back at once is not cured by starting anew.

#include "messages/ids.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace neap::supervise {

struct restart_limits {
  std::uint32_t restarts = 3;                             // allowed in any one window
  steady_duration window = std::chrono::seconds{60};
  steady_duration first_delay = std::chrono::milliseconds{10};  // doubles with every restart in the window
  steady_duration longest_delay = std::chrono::milliseconds{500};
};

// Counts the restarts of all actors of a node together. One thread; constant cost.
class restart_policy {
 public:
  explicit restart_policy(const restart_limits& limits) : limits_(limits) {}

  // An actor was lost at `now`: how long to wait before it is started again, or nothing if that would be one restart
  // too many.
  std::optional<steady_duration> lost(steady_time now);

  // Restarts since the policy was made.
  std::uint64_t restarts() const noexcept { return total_; }

 private:
  restart_limits limits_;
  std::deque<steady_time> recent_;
  std::uint64_t total_ = 0;
};

}  // namespace neap::supervise
