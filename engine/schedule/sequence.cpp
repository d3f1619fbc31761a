#include "engine/schedule/sequence.hpp"

#include <algorithm>

namespace neap::schedule {

steady_time rank_of(const sequence_request& request) noexcept {
  using namespace std::chrono_literals;
  constexpr auto urgency_lead = 30s;    // of urgency 1 over urgency 0
  constexpr auto fast_group_lead = 2s;  // FAST_GROUP overtakes
  constexpr auto priority_step = 100ms;
  const auto urgency = std::clamp(request.classification.urgency, 0.0F, 1.0F);
  auto rank = request.arrival -
              std::chrono::duration_cast<steady_duration>(urgency_lead * static_cast<double>(urgency));
  if (request.classification.group == complexity_group::fast_group) rank -= fast_group_lead;
  return rank + priority_step * std::clamp(request.tag.priority, -100, 100);
}

}  // namespace neap::schedule
