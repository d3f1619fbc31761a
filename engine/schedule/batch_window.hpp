#pragma once
// When FAST_GROUP requests wait for company, so that several short prefills share one step. Waiting can help
// only while the executor is busy with other sequences (the wait then costs no device time) and more such
// requests are likely within the window; a lone request on an idle executor starts at once.

#include "messages/ids.hpp"

#include <cstddef>
#include <optional>

namespace neap::schedule {

class batch_window {
 public:
  // `full_group`: members at which a group starts without waiting further.
  batch_window(steady_duration window, std::size_t full_group) : window_(window), full_group_(full_group) {}

  // A FAST_GROUP request arrived; updates the mean gap between arrivals (exponential average, weight 1/8).
  void arrived(steady_time now);

  // Whether a group of `members`, the oldest of which arrived at `oldest`, should wait on. `busy`: other
  // sequences run.
  bool should_wait(steady_time now, steady_time oldest, std::size_t members, bool busy) const;

 private:
  steady_duration window_;
  std::size_t full_group_;
  std::optional<steady_time> last_arrival_;
  std::optional<steady_duration> mean_gap_;
};

}  // namespace neap::schedule
