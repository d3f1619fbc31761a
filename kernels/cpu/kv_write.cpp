#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

NEAP_INLINE void store_as(floats v, float* p) { store(v, p); }
NEAP_INLINE void store_as(floats v, std::uint16_t* p) { store_f16(v, p); }

// One KV head: `keys` [head_size][16] is written down its column `slot`, `values` [16][head_size] along a
// row.
template <class T>
static void write_head(T* keys, T* values, std::uint32_t slot, std::uint32_t head_size, const float* key,
                       const float* value) {
  for (std::uint32_t d = 0; d < head_size; d += 16) {
    T converted[16];
    store_as(load(key + d), converted);
    for (std::uint32_t i = 0; i < 16; ++i) keys[(d + i) * kv_block_tokens + slot] = converted[i];
    store_as(load(value + d), values + slot * head_size + d);
  }
}

template <class T>
static void write_heads(const kv_layer& kv, std::uint32_t block, std::uint32_t slot, const float* key,
                        const float* value) {
  const std::size_t head_elements = std::size_t{kv.head_size} * kv_block_tokens;
  for (std::uint32_t head = 0; head < kv.kv_heads; ++head) {
    const std::size_t at = (std::size_t{block} * kv.kv_heads + head) * head_elements;
    const std::size_t row = std::size_t{head} * kv.head_size;
    write_head(static_cast<T*>(kv.keys) + at, static_cast<T*>(kv.values) + at, slot, kv.head_size, key + row,
               value + row);
  }
}

void kv_write(const kv_layer& kv, std::uint32_t block, std::uint32_t slot, const float* key,
              const float* value) {
  if (kv.type == kv_type::f16)
    write_heads<std::uint16_t>(kv, block, slot, key, value);
  else
    write_heads<float>(kv, block, slot, key, value);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
