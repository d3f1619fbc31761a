#include "engine/memory/block_lease.hpp"

#include <algorithm>
#include <cassert>

namespace neap::memory {

block_lease::~block_lease() { assert(used_blocks() == 0 && consistent()); }

void block_lease::grant(std::span<const block_id> blocks) {
  for (const auto block : blocks)
    if (block >= references_.size()) references_.resize(block + std::size_t{1}, 0);
  // Back of the stack is taken next: keep the order of the grant.
  free_.insert(free_.end(), blocks.rbegin(), blocks.rend());
  held_ += static_cast<std::uint32_t>(blocks.size());
}

std::optional<block_id> block_lease::take() {
  if (free_.empty()) return std::nullopt;
  const auto block = free_.back();
  free_.pop_back();
  references_[block] = 1;
  return block;
}

void block_lease::share(block_id block) {
  assert(references(block) > 0);
  ++references_[block];
}

void block_lease::drop(block_id block) {
  assert(references(block) > 0);
  if (--references_[block] == 0) free_.push_back(block);
}

std::uint32_t block_lease::references(block_id block) const noexcept {
  return block < references_.size() ? references_[block] : 0;
}

std::vector<block_id> block_lease::return_surplus(std::uint32_t keep) {
  if (free_.size() <= keep) return {};
  // The bottom of the stack is coldest.
  const auto end = free_.end() - keep;
  std::vector<block_id> out(free_.begin(), end);
  free_.erase(free_.begin(), end);
  held_ -= static_cast<std::uint32_t>(out.size());
  return out;
}

std::vector<block_id> block_lease::held() const {
  auto out = free_;
  for (std::size_t block = 0; block < references_.size(); ++block)
    if (references_[block] > 0) out.push_back(static_cast<block_id>(block));
  std::sort(out.begin(), out.end());
  return out;
}

bool block_lease::consistent() const {
  std::vector<bool> seen(references_.size(), false);
  for (const auto block : free_) {
    if (block >= seen.size() || seen[block] || references_[block] != 0) return false;
    seen[block] = true;
  }
  const auto used = std::count_if(references_.begin(), references_.end(), [](auto n) { return n > 0; });
  return static_cast<std::uint32_t>(used) + free_blocks() == held_;
}

}  // namespace neap::memory
