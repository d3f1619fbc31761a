#pragma once
// The memory manager's side of the KV cache: which blocks of an executor's pool are free and which are leased
// out. Who uses a leased block, and how often it is shared, is the lease holder's business (block_lease.hpp).

#include "messages/ids.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace neap::memory {

// Invariant, true after every call: free + leased = committed <= maximum; no block is both. Checked on
// destruction.
class block_pool {
 public:
  // Starts with `initial` committed blocks and grows by `growth` at a time up to `maximum`.
  block_pool(std::uint32_t initial, std::uint32_t maximum, std::uint32_t growth);
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool();

  // Up to `count` blocks, fewer if the pool ends. Low numbers first, so that few pages are ever touched.
  // Cost: linear in count.
  std::vector<block_id> lease(std::uint32_t count);

  // Takes leased blocks back. False, and nothing changes, if one of them is not leased.
  bool release(std::span<const block_id> blocks);

  // Marks free blocks as leased to a holder from before this pool was made; grows as far as they need. False, and
  // nothing changes, if one of them is past the maximum or not free. Cost: linear in committed blocks.
  bool adopt(std::span<const block_id> blocks);

  // Orders the free blocks and takes those at the end of the pool out of circulation until the pool grows
  // again. Answers how many. Cost: n log n in free blocks.
  std::uint32_t compact();

  std::uint32_t free_blocks() const noexcept { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t leased_blocks() const noexcept { return leased_count_; }
  std::uint32_t committed_blocks() const noexcept { return committed_; }
  std::uint32_t maximum_blocks() const noexcept { return static_cast<std::uint32_t>(leased_.size()); }

  // Share of neighbours in the free list that are not neighbours in memory, 0..1; 0 after compact() on a pool
  // whose used blocks are dense.
  double fragmentation() const;

  // The invariant. Cost: linear in maximum.
  bool consistent() const;

 private:
  void grow(std::uint32_t wanted);

  std::vector<block_id> free_;  // a stack: the next block to lease is at the back
  std::vector<bool> leased_;    // by block
  std::uint32_t leased_count_ = 0;
  std::uint32_t committed_ = 0;
  std::uint32_t growth_ = 1;
};

}  // namespace neap::memory
