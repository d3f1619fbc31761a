#include "engine/text/stop_matcher.hpp"

#include <algorithm>
#include <utility>

namespace neap::text {
namespace {

// The longest end of `text` that begins `stop` without being all of it.
std::size_t open_part(std::string_view text, std::string_view stop) {
  for (std::size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length)
    if (text.substr(text.size() - length) == stop.substr(0, length)) return length;
  return 0;
}

struct found_stop {
  std::size_t begin = std::string_view::npos;
  std::size_t end = std::string_view::npos;
};

found_stop first_match(std::string_view text, const std::vector<std::string>& stops) {
  found_stop best;
  for (const auto& stop : stops) {
    const auto begin = text.find(stop);
    if (begin == std::string_view::npos) continue;
    const auto end = begin + stop.size();
    if (end < best.end || (end == best.end && begin < best.begin)) best = {begin, end};
  }
  return best;
}

}  // namespace

stop_matcher::stop_matcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

stop_matcher::output stop_matcher::push(std::string_view text) {
  if (matched_) return {"", true};
  held_ += text;
  const auto found = first_match(held_, stops_);
  if (found.end != std::string_view::npos) {
    matched_ = true;
    return {std::exchange(held_, {}).substr(0, found.begin), true};
  }
  std::size_t open = 0;
  for (const auto& stop : stops_) open = std::max(open, open_part(held_, stop));
  output out{held_.substr(0, held_.size() - open), false};
  held_.erase(0, held_.size() - open);
  return out;
}

std::string stop_matcher::finish() { return std::exchange(held_, {}); }

}  // namespace neap::text
