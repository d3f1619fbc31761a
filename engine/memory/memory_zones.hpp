#pragma once
// Where a node's memory goes: static zone (weights), activation arena, KV pool with its emergency zone.

#include <cstddef>
#include <cstdint>

namespace neap::memory {

struct zone_request {
  std::size_t weight_bytes = 0;    // static zone
  std::size_t arena_bytes = 0;     // activations and temporary buffers
  std::size_t kv_block_bytes = 0;  // > 0
  std::size_t kv_max_bytes = 0;    // 0: a quarter of memory, at most what all sequences need
  std::size_t memory_bytes = 0;    // of the device
  std::uint32_t max_sequences = 0;
  std::uint32_t context_length = 0;
};

struct memory_zones {
  std::size_t weight_bytes = 0;
  std::size_t arena_bytes = 0;
  std::uint32_t kv_blocks = 0;  // of the whole pool
  // Part of the pool, at most a tenth, that only running sequences may take: new ones wait instead.
  std::uint32_t emergency_blocks = 0;
  std::size_t kv_bytes = 0;

  std::size_t total_bytes() const noexcept { return weight_bytes + arena_bytes + kv_bytes; }
};

// Sizes the pool; kv_blocks is 0 if not even one block fits.
memory_zones plan_zones(const zone_request& request) noexcept;

}  // namespace neap::memory
