#include "messages/node_views.hpp"

namespace neap {

std::string_view to_string(request_stage x) noexcept {
  switch (x) {
    case request_stage::encoding: return "encoding";
    case request_stage::queued: return "queued";
    case request_stage::prefill: return "prefill";
    case request_stage::decoding: return "decoding";
  }
  return "unknown";
}

}  // namespace neap
