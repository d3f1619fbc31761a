#include "engine/text/special_matcher.hpp"

#include <algorithm>

namespace neap::text {
namespace {

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

}  // namespace

special_matcher::special_matcher(const tokenizer_data& data) {
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    const bool control = data.types[i] == token_type::control;
    if ((control || data.types[i] == token_type::user_defined) && !data.tokens[i].empty())
      entries_.push_back({std::string{data.tokens[i]}, static_cast<token_id>(i), control});
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const entry& a, const entry& b) { return a.text < b.text; });
  for (const auto& each : entries_) ++first_[byte_at(each.text, 0) + 1U];
  for (std::size_t byte = 1; byte < first_.size(); ++byte) first_[byte] += first_[byte - 1];
}

// Narrows the sorted entries byte by byte to those that the text agrees with; the last whole one is the
// longest.
special_matcher::match special_matcher::match_at(const marked_text& marked, std::size_t position) const {
  const auto rest = marked.text().substr(position);
  const auto lead = byte_at(rest, 0);
  auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first_[lead]);
  auto end = entries_.begin() + static_cast<std::ptrdiff_t>(first_[lead + 1U]);
  match best;
  for (std::size_t length = 1; begin != end; ++length) {
    for (; begin != end && begin->text.size() == length; ++begin) {
      const bool allowed = !begin->control || position + length <= marked.control_limit(position);
      if (allowed && best.length < length) best = {position, length, begin->token};
    }
    if (length == rest.size()) break;
    const auto next = byte_at(rest, length);
    begin = std::partition_point(begin, end, [&](const entry& e) { return byte_at(e.text, length) < next; });
    end = std::partition_point(begin, end, [&](const entry& e) { return byte_at(e.text, length) == next; });
  }
  return best;
}

special_matcher::match special_matcher::find(const marked_text& marked, std::size_t from) const {
  const auto text = marked.text();
  for (std::size_t i = from; i < text.size(); ++i) {
    const auto lead = byte_at(text, i);
    if (first_[lead] == first_[lead + 1U]) continue;
    const auto found = match_at(marked, i);
    if (found.token >= 0) return found;
  }
  return {};
}

}  // namespace neap::text
