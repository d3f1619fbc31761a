#include "engine/text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace neap::text {
namespace {

bool is_ordinary(token_type type) noexcept {
  return type == token_type::normal || type == token_type::user_defined;
}

// Types whose text is a name for the reader, not text the model writes.
bool is_marker(token_type type) noexcept {
  return type == token_type::control || type == token_type::unknown || type == token_type::unused;
}

}  // namespace

void vocabulary::reserve(std::size_t tokens, std::size_t bytes) {
  buffer_.reserve(bytes);
  ends_.reserve(tokens);
  types_.reserve(tokens);
}

void vocabulary::add(std::string_view bytes, token_type type) {
  buffer_ += bytes;
  ends_.push_back(buffer_.size());
  types_.push_back(type);
}

void vocabulary::build_index() {
  slots_.assign(std::bit_ceil(2 * types_.size() + 2), -1);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const auto token = static_cast<token_id>(i);
    const auto text = stored(token);
    if (!is_ordinary(types_[i]) || text.empty()) continue;
    auto& slot = slots_[slot_of(text)];
    if (slot < 0) slot = token;
    longest_ = std::max(longest_, text.size());
  }
}

token_id vocabulary::find(std::string_view bytes) const noexcept {
  return bytes.size() > longest_ ? -1 : slots_[slot_of(bytes)];
}

std::string_view vocabulary::bytes(token_id token, bool with_special) const noexcept {
  return !with_special && is_marker(type(token)) ? std::string_view{} : stored(token);
}

std::string_view vocabulary::stored(token_id token) const noexcept {
  const auto index = static_cast<std::size_t>(token);
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view{buffer_}.substr(begin, ends_[index] - begin);
}

// The slot that holds these bytes, or the free one where they belong; half of the slots are free.
std::size_t vocabulary::slot_of(std::string_view bytes) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(bytes)&mask;
  while (slots_[slot] >= 0 && stored(slots_[slot]) != bytes) slot = (slot + 1) & mask;
  return slot;
}

}  // namespace neap::text
