#include "server/http/event_log.hpp"

namespace neap::http {
namespace {

constexpr std::chrono::seconds interval{1};

struct kind_text {
  std::string_view text;
  bool warning;
};

constexpr std::array<kind_text, 7> texts{{
    {"internal error", true},
    {"refused with 503", true},
    {"the client left", false},
    {"the client was cut off", false},
    {"connection refused", true},
    {"cannot accept connections", true},
    {"a connection failed", true},
}};

}  // namespace

void event_log::report(event_kind kind, std::string_view detail, time_point now) {
  const auto index = static_cast<std::size_t>(kind);
  auto& state = kinds_[index];
  if (state.any && now - state.last < interval) {
    ++state.held_back;
    return;
  }
  std::string line = "http: " + std::string(texts[index].text) + ": " + std::string(detail);
  if (state.held_back > 0) line += " (and " + std::to_string(state.held_back) + " more before it)";
  state = {now, true, 0};
  write_(texts[index].warning, line);
}

void event_log::flush() {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].held_back == 0) continue;
    write_(texts[i].warning,
           "http: " + std::string(texts[i].text) + ": " + std::to_string(kinds_[i].held_back) + " more");
    kinds_[i].held_back = 0;
  }
}

}  // namespace neap::http
