#pragma once
// The functions of this ISA that its table points to; contracts in kernels/kernel_table.hpp.

#include "kernels/cpu/isa.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

void matmul_quantized(const packed_matrix& w, const quantized_rows& x, std::size_t tile_begin,
                      std::size_t tile_end, float* out, std::size_t out_stride);
void matmul_f32(const packed_matrix& w, const float* x, std::size_t rows, std::size_t tile_begin,
                std::size_t tile_end, float* out, std::size_t out_stride);
void quantize_row(const float* x, std::size_t columns, std::uint32_t group, float fine_above,
                  const quantized_row& out);
float root_mean_square(const float* x, std::size_t columns);
void rms_norm(const float* x, const float* weight, std::size_t columns, float eps, float* out);
void add(float* x, const float* y, std::size_t count);
void gated_activation(activation act, float* gate, const float* up, std::size_t count);
void rope(rope_pairing pairing, float* x, std::size_t heads, std::size_t head_size, std::size_t rotary,
          const float* cos, const float* sin);
void kv_write(const kv_layer& kv, std::uint32_t block, std::uint32_t slot, const float* key,
              const float* value);
void attention(const kv_layer& kv, const attention_row* rows, std::size_t count, std::uint32_t heads,
               std::uint32_t kv_head_begin, std::uint32_t kv_head_end, float scale);
std::size_t argmax(const float* x, std::size_t count);

extern const kernel_table kernels;

}  // namespace neap::kernels::NEAP_KERNEL_ISA
