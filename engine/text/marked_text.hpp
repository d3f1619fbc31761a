#pragma once
// Spans joined to one text, so that words and merges cross their borders, with the ranges where control
// markers are real. Always valid UTF-8: broken bytes of a careless caller become U+FFFD.

#include "engine/text/tokenizer.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace neap::text {

class marked_text {
 public:
  explicit marked_text(std::span<const text_span> spans) {
    for (const auto& span : spans) {
      const std::size_t begin = text_.size();
      text_ += is_valid_utf8(span.text) ? span.text : replace_invalid_utf8(span.text);
      if (!span.parse_special || span.text.empty()) continue;
      if (!ranges_.empty() && ranges_.back().end == begin) {
        ranges_.back().end = text_.size();
      } else {
        ranges_.push_back({begin, text_.size()});
      }
    }
  }

  std::string_view text() const noexcept { return text_; }

  // A control marker at `position` must end at or before this; 0 where none is allowed. Logarithmic in the
  // spans.
  std::size_t control_limit(std::size_t position) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), position,
                                        [](std::size_t at, const range& r) { return at < r.begin; });
    if (after == ranges_.begin()) return 0;
    const auto& candidate = *std::prev(after);
    return position < candidate.end ? candidate.end : 0;
  }

 private:
  struct range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::string text_;
  std::vector<range> ranges_;
};

}  // namespace neap::text
