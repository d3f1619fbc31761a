#include "backends/cpu/kv_store.hpp"

#include <cstring>
#include <limits>

namespace neap::backend::cpu {
namespace {

std::size_t part_bytes(const model::model_config& config, kernels::kv_type type) noexcept {
  const std::size_t value = type == kernels::kv_type::f16 ? 2 : 4;
  return value * kernels::kv_block_tokens * config.kv_heads * config.head_size;
}

}  // namespace

std::size_t kv_store::block_bytes(const model::model_config& config, kernels::kv_type type) noexcept {
  return 2 * part_bytes(config, type) * config.layers;
}

bool kv_store::reserve(const model::model_config& config, kernels::kv_type type, std::uint32_t blocks) {
  const auto block = block_bytes(config, type);
  if (blocks > std::numeric_limits<std::size_t>::max() / 4 / block) return false;
  auto memory = mapped_memory::reserve(block * blocks);
  if (memory.data() == nullptr) return false;
  memory_ = std::move(memory);
  part_bytes_ = part_bytes(config, type);
  blocks_ = blocks;
  layers_.clear();
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    std::byte* keys = memory_.data() + 2 * layer * part_bytes_ * blocks;
    layers_.push_back({keys, keys + part_bytes_ * blocks, type, config.kv_heads, config.head_size});
  }
  return true;
}

void kv_store::copy_blocks(std::size_t layer, std::span<const block_copy> copies) const noexcept {
  const auto& kv = layers_[layer];
  for (const auto& copy : copies) {
    if (copy.from == copy.to) continue;
    for (void* part : {kv.keys, kv.values}) {
      auto* base = static_cast<std::byte*>(part);
      std::memcpy(base + copy.to * part_bytes_, base + copy.from * part_bytes_, part_bytes_);
    }
  }
}

}  // namespace neap::backend::cpu
