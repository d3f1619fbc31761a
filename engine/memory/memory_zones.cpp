#include "engine/memory/memory_zones.hpp"

#include "engine/memory/block_table.hpp"

#include <algorithm>
#include <limits>

namespace neap::memory {

memory_zones plan_zones(const zone_request& request) noexcept {
  memory_zones zones;
  zones.weight_bytes = request.weight_bytes;
  zones.arena_bytes = request.arena_bytes;
  const auto most = blocks_for(request.context_length) * request.max_sequences;
  auto bytes = request.kv_max_bytes;
  if (bytes == 0) bytes = request.memory_bytes / 4;
  auto blocks = std::uint64_t{bytes} / std::max<std::size_t>(request.kv_block_bytes, 1);
  if (request.kv_max_bytes == 0) blocks = std::min(blocks, most);
  blocks = std::min<std::uint64_t>(blocks, std::numeric_limits<std::int32_t>::max());
  zones.kv_blocks = static_cast<std::uint32_t>(blocks);
  zones.kv_bytes = zones.kv_blocks * request.kv_block_bytes;
  zones.emergency_blocks = std::min(zones.kv_blocks / 10, request.max_sequences);
  return zones;
}

}  // namespace neap::memory
