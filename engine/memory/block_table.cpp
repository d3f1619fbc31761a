#include "engine/memory/block_table.hpp"

#include <cassert>
#include <utility>

namespace neap::memory {

block_table::block_table(block_table&& other) noexcept : blocks_(other.clear()) {}

block_table& block_table::operator=(block_table&& other) noexcept {
  assert(blocks_.empty());
  blocks_ = other.clear();
  return *this;
}

block_table::~block_table() { assert(blocks_.empty()); }

std::uint64_t block_table::missing_blocks(std::uint64_t length) const noexcept {
  const auto needed = blocks_for(length);
  const std::uint64_t present = blocks_.size();
  return needed > present ? needed - present : 0;
}

bool block_table::can_append(std::uint64_t length, const block_lease& lease) const noexcept {
  return missing_blocks(length) <= lease.free_blocks();
}

void block_table::append(std::uint64_t length, block_lease& lease) {
  for (auto missing = missing_blocks(length); missing > 0; --missing) blocks_.push_back(*lease.take());
}

block_table block_table::fork(block_lease& lease) const {
  block_table child;
  child.blocks_ = blocks_;
  for (const auto block : blocks_) lease.share(block);
  return child;
}

std::optional<block_copy> block_table::make_writable(std::uint32_t position, block_lease& lease) {
  auto& block = blocks_[position / block_tokens];
  if (lease.references(block) == 1) return std::nullopt;
  const block_copy copy{block, *lease.take()};
  lease.drop(block);
  block = copy.to;
  return copy;
}

std::vector<block_id> block_table::clear() noexcept { return std::exchange(blocks_, {}); }

}  // namespace neap::memory
