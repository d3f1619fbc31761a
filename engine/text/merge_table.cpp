#include "engine/text/merge_table.hpp"

#include <bit>

namespace neap::text {

merge_table::merge_table(std::size_t rules)
    : slots_(std::bit_ceil(2 * rules + 2)),
      shift_(64U - static_cast<unsigned>(std::countr_zero(slots_.size()))) {}

void merge_table::add(token_id left, token_id right, merge_rule rule) noexcept {
  auto& place = slots_[slot_of(left, right)];
  if (place.left < 0) place = {left, right, rule};
}

merge_rule merge_table::find(token_id left, token_id right) const noexcept {
  return left < 0 || right < 0 ? merge_rule{} : slots_[slot_of(left, right)].rule;
}

// The slot of the pair, or the free one where it belongs. Multiplicative hashing keeps the high bits (Knuth,
// The Art of Computer Programming, vol. 3, section 6.4).
std::size_t merge_table::slot_of(token_id left, token_id right) const noexcept {
  const auto key =
      (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) | static_cast<std::uint32_t>(right);
  auto at = static_cast<std::size_t>(((key ^ (key >> 29)) * 0x9E3779B97F4A7C15U) >> shift_);
  while (slots_[at].left >= 0 && (slots_[at].left != left || slots_[at].right != right))
    at = (at + 1) & (slots_.size() - 1);
  return at;
}

}  // namespace neap::text
