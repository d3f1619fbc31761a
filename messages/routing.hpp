#pragma once
// What kind of request this is and where it goes. The tag travels unchanged from request to last message.

#include <cstdint>
#include <string>
#include <string_view>

namespace neap {

enum class service_tier : std::uint8_t { vip, standard };
enum class request_type : std::uint8_t { interactive, batch };
enum class sensitivity : std::uint8_t { realtime, normal };
enum class complexity_group : std::uint8_t { fast_group, default_batch, single_process };
enum class lane : std::uint8_t { dedicated, batch, deferred };

// Names as clients, metrics and reports see them: "vip", "FAST_GROUP", "dedicated", ...
std::string_view to_string(service_tier x) noexcept;
std::string_view to_string(request_type x) noexcept;
std::string_view to_string(sensitivity x) noexcept;
std::string_view to_string(complexity_group x) noexcept;
std::string_view to_string(lane x) noexcept;

struct routing_tag {
  service_tier tier = service_tier::standard;
  request_type type = request_type::interactive;
  neap::sensitivity sensitivity = neap::sensitivity::normal;
  std::int32_t priority = 0;  // lower is earlier, as vLLM

  friend bool operator==(const routing_tag&, const routing_tag&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, routing_tag& x) {
  return f(x.tier, x.type, x.sensitivity, x.priority);
}

// The classifier's decision.
struct classification {
  complexity_group group = complexity_group::default_batch;
  neap::lane lane = neap::lane::batch;
  float complexity = 0.5F;             // estimate in [0,1]
  float urgency = 0.0F;                // [0,1], higher is more urgent
  std::uint32_t predicted_tokens = 0;  // expected answer length
  std::string reason;                  // e.g. "complexity 0.12 < 0.3 and 17 tokens < 100"
};

template <class Inspector>
auto inspect(Inspector& f, classification& x) {
  return f(x.group, x.lane, x.complexity, x.urgency, x.predicted_tokens, x.reason);
}

}  // namespace neap
