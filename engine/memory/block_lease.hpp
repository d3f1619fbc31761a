#pragma once
// The batcher's side of the KV cache: blocks it took from the memory manager in bulk, so that no message
// round trip stands on the token path. Counts how many block tables share each block.

#include "messages/ids.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace neap::memory {

// Invariant: free + used = held; a used block has at least one reference. Destroyed with no block used.
class block_lease {
 public:
  block_lease() = default;
  block_lease(const block_lease&) = delete;
  block_lease& operator=(const block_lease&) = delete;
  ~block_lease();

  // Adds blocks that the memory manager granted. Precondition: none of them is held.
  void grant(std::span<const block_id> blocks);

  // Takes a free block with one reference; nothing if none is free.
  std::optional<block_id> take();

  // One more table shares the block. Precondition: used.
  void share(block_id block);

  // One table fewer; the block is free again after the last. Precondition: used.
  void drop(block_id block);

  std::uint32_t references(block_id block) const noexcept;

  // Gives up free blocks beyond `keep`, to be released to the memory manager.
  std::vector<block_id> return_surplus(std::uint32_t keep);

  std::uint32_t free_blocks() const noexcept { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t used_blocks() const noexcept { return held_ - free_blocks(); }
  std::uint32_t held_blocks() const noexcept { return held_; }

  // All blocks held, used and free, in order. Cost: linear in the highest block number held.
  std::vector<block_id> held() const;

  // The invariant. Cost: linear in the highest block number held.
  bool consistent() const;

 private:
  std::vector<block_id> free_;
  std::vector<std::uint32_t> references_;  // by block; 0 if free or not held
  std::uint32_t held_ = 0;
};

}  // namespace neap::memory
