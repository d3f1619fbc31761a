#pragma once
// Which KV blocks hold the positions of one sequence. Ask first (can_append), then act (append).

#include "engine/memory/block_lease.hpp"
#include "messages/batch_plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace neap::memory {

// Positions a block holds; equals the kernels' kv_block_tokens (a test compares them).
inline constexpr std::uint32_t block_tokens = 16;

// Blocks that hold `tokens` positions.
constexpr std::uint64_t blocks_for(std::uint64_t tokens) noexcept {
  return tokens / block_tokens + (tokens % block_tokens != 0 ? 1 : 0);
}

// Owns one reference to each of its blocks. Emptied (clear or move) before destruction.
class block_table {
 public:
  block_table() = default;
  block_table(block_table&& other) noexcept;
  block_table& operator=(block_table&& other) noexcept;
  ~block_table();

  // Free blocks that append(length) would take.
  std::uint64_t missing_blocks(std::uint64_t length) const noexcept;
  bool can_append(std::uint64_t length, const block_lease& lease) const noexcept;

  // Makes room for positions [0, length). Precondition: can_append(length, lease).
  void append(std::uint64_t length, block_lease& lease);

  // A table that shares every block.
  block_table fork(block_lease& lease) const;

  // Before position `position` is written: gives this table a block of its own where it is shared. Answers
  // the copy to put into the plan; nothing if the block was its own. Precondition: the position has a block,
  // and a free one is there if that one is shared.
  std::optional<block_copy> make_writable(std::uint32_t position, block_lease& lease);

  // Gives up the blocks without dropping the references: the caller drops them when no plan in flight reads
  // them any more.
  std::vector<block_id> clear() noexcept;

  const std::vector<block_id>& blocks() const noexcept { return blocks_; }

 private:
  std::vector<block_id> blocks_;
};

}  // namespace neap::memory
