#include "engine/text/special_matcher.hpp"

#include <algorithm>
#include <functional>

namespace neap::text {

special_matcher::special_matcher(const tokenizer_data& data) {
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    const auto type = data.types[i];
    if (type != token_type::control && type != token_type::user_defined) continue;
    if (!data.tokens[i].empty()) add(data.tokens[i], {static_cast<token_id>(i), type == token_type::control});
  }
  for (auto& lengths : lengths_) {
    std::sort(lengths.begin(), lengths.end(), std::greater<>{});
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  }
}

void special_matcher::add(std::string_view text, entry value) {
  entries_.emplace(text, value);
  lengths_[static_cast<unsigned char>(text.front())].push_back(text.size());
}

special_matcher::match special_matcher::match_at(const marked_text& marked, std::size_t position) const {
  const auto text = marked.text();
  for (const auto length : lengths_[static_cast<unsigned char>(text[position])]) {
    if (length > text.size() - position) continue;
    const auto found = entries_.find(text.substr(position, length));
    if (found == entries_.end()) continue;
    if (found->second.control && position + length > marked.control_limit(position)) continue;
    return {position, length, found->second.token};
  }
  return {};
}

special_matcher::match special_matcher::find(const marked_text& marked, std::size_t from) const {
  for (std::size_t i = from; i < marked.text().size(); ++i) {
    const auto found = match_at(marked, i);
    if (found.token >= 0) return found;
  }
  return {};
}

}  // namespace neap::text
