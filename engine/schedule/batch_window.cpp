#include "engine/schedule/batch_window.hpp"

#include <algorithm>

namespace neap::schedule {

void batch_window::arrived(steady_time now) {
  if (last_arrival_) {
    const auto gap = std::max(now - *last_arrival_, steady_duration::zero());
    mean_gap_ = mean_gap_ ? *mean_gap_ + (gap - *mean_gap_) / 8 : gap;
  }
  last_arrival_ = now;
}

bool batch_window::should_wait(steady_time now, steady_time oldest, std::size_t members, bool busy) const {
  if (!busy || members >= full_group_ || !mean_gap_ || !last_arrival_) return false;
  const auto end = oldest + window_;
  if (now >= end) return false;
  // The next arrival is due one mean gap after the last: waiting brings nobody if that is past the window,
  // and nobody came if it is two more gaps ago.
  return *last_arrival_ + *mean_gap_ < end && now <= *last_arrival_ + 3 * *mean_gap_;
}

}  // namespace neap::schedule
