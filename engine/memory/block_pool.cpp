#include "engine/memory/block_pool.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace neap::memory {

block_pool::block_pool(std::uint32_t initial, std::uint32_t maximum, std::uint32_t growth)
    : leased_(maximum, false), growth_(std::max(growth, 1U)) {
  grow(std::min(initial, maximum));
}

block_pool::~block_pool() { assert(consistent()); }

void block_pool::grow(std::uint32_t wanted) {
  const auto target = std::min<std::uint64_t>(std::uint64_t{committed_} + wanted, maximum_blocks());
  const auto begin = committed_;
  committed_ = static_cast<std::uint32_t>(target);
  // New blocks go below the free ones on the stack: those are warm.
  std::vector<block_id> grown;
  grown.reserve(committed_ - begin + free_.size());
  for (auto block = committed_; block > begin; --block) grown.push_back(block - 1);
  grown.insert(grown.end(), free_.begin(), free_.end());
  free_ = std::move(grown);
}

std::vector<block_id> block_pool::lease(std::uint32_t count) {
  if (free_.size() < count) grow(std::max(growth_, count - free_blocks()));
  const auto given = std::min(count, free_blocks());
  std::vector<block_id> out(free_.rbegin(), free_.rbegin() + given);
  free_.resize(free_.size() - given);
  for (const auto block : out) leased_[block] = true;
  leased_count_ += given;
  return out;
}

bool block_pool::release(std::span<const block_id> blocks) {
  std::size_t done = 0;
  for (; done < blocks.size(); ++done) {
    const auto block = blocks[done];
    if (block >= leased_.size() || !leased_[block]) break;
    leased_[block] = false;
  }
  if (done != blocks.size()) {
    for (std::size_t i = 0; i < done; ++i) leased_[blocks[i]] = true;
    return false;
  }
  free_.insert(free_.end(), blocks.rbegin(), blocks.rend());
  leased_count_ -= static_cast<std::uint32_t>(blocks.size());
  return true;
}

bool block_pool::adopt(std::span<const block_id> blocks) {
  std::vector<bool> wanted(leased_.size(), false);
  std::uint32_t end = 0;
  for (const auto block : blocks) {
    if (block >= leased_.size() || leased_[block] || wanted[block]) return false;
    wanted[block] = true;
    end = std::max<std::uint32_t>(end, block + 1);
  }
  if (end > committed_) grow(end - committed_);
  for (const auto block : blocks) leased_[block] = true;
  std::erase_if(free_, [&](block_id block) { return wanted[block]; });
  leased_count_ += static_cast<std::uint32_t>(blocks.size());
  return true;
}

std::uint32_t block_pool::compact() {
  std::sort(free_.begin(), free_.end(), std::greater<>());
  std::uint32_t dropped = 0;
  while (dropped < free_.size() && free_[dropped] + 1 == committed_) {
    ++dropped;
    --committed_;
  }
  free_.erase(free_.begin(), free_.begin() + dropped);
  return dropped;
}

double block_pool::fragmentation() const {
  if (free_.size() < 2) return 0;
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < free_.size(); ++i)
    if (free_[i - 1] != free_[i] + 1) ++breaks;
  return static_cast<double>(breaks) / static_cast<double>(free_.size() - 1);
}

bool block_pool::consistent() const {
  std::vector<bool> seen(leased_);
  for (const auto block : free_) {
    if (block >= committed_ || seen[block]) return false;
    seen[block] = true;
  }
  const auto leased = static_cast<std::uint32_t>(std::count(leased_.begin(), leased_.end(), true));
  return leased == leased_count_ && leased + free_blocks() == committed_;
}

}  // namespace neap::memory
