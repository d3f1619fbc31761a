#pragma once
// The paged KV cache of one model: a pool of blocks, each kv_block_tokens positions of every layer.

#include "backends/cpu/mapped_memory.hpp"
#include "engine/model/model_config.hpp"
#include "kernels/kernel_table.hpp"
#include "messages/batch_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neap::backend::cpu {

class kv_store {
 public:
  kv_store() = default;

  // Bytes of one block, keys and values of all layers.
  static std::size_t block_bytes(const model::model_config& config, kernels::kv_type type) noexcept;

  // Reserves address space for `blocks` blocks. False where the system refuses.
  bool reserve(const model::model_config& config, kernels::kv_type type, std::uint32_t blocks);

  std::uint32_t blocks() const noexcept { return blocks_; }
  const kernels::kv_layer& layer(std::size_t index) const noexcept { return layers_[index]; }

  // Copies blocks of one layer, in the order given.
  void copy_blocks(std::size_t layer, std::span<const block_copy> copies) const noexcept;

 private:
  mapped_memory memory_;
  std::vector<kernels::kv_layer> layers_;
  std::size_t part_bytes_ = 0;  // keys, or values, of one block and layer
  std::uint32_t blocks_ = 0;
};

}  // namespace neap::backend::cpu
