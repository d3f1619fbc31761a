#include "messages/routing.hpp"

namespace neap {

std::string_view to_string(service_tier x) noexcept { return x == service_tier::vip ? "vip" : "standard"; }

std::string_view to_string(request_type x) noexcept {
  return x == request_type::batch ? "batch" : "interactive";
}

std::string_view to_string(sensitivity x) noexcept {
  return x == sensitivity::realtime ? "realtime" : "normal";
}

std::string_view to_string(complexity_group x) noexcept {
  switch (x) {
    case complexity_group::fast_group:
      return "FAST_GROUP";
    case complexity_group::single_process:
      return "SINGLE_PROCESS";
    case complexity_group::default_batch:
      break;
  }
  return "DEFAULT_BATCH";
}

std::string_view to_string(lane x) noexcept {
  switch (x) {
    case lane::dedicated:
      return "dedicated";
    case lane::deferred:
      return "deferred";
    case lane::batch:
      break;
  }
  return "batch";
}

}  // namespace neap
