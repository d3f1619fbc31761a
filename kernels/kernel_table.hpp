#pragma once
// The CPU kernels of one instruction set, chosen once at run time. Every source in kernels/cpu/ is compiled
// once per ISA; this table is how the rest of the program reaches the right copy.
//
// Common rules. Pointers need no alignment unless said. All functions are pure, allocate nothing, throw
// nothing, and are safe to call from several threads on disjoint outputs. Batch invariance: the value of an
// output row depends only on its own input row, the weights, the length of the reduction and the ISA, never
// on the number of rows in the call.

#include "kernels/packed_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neap::kernels {

enum class isa : std::uint8_t { baseline, avx2, avx512 };  // avx512: F, BW, DQ, VL and VNNI

// Activations quantised per group: x = scale * code16 / 256. One group is as long as the weight group it
// meets (16 or 32). A coarse group has 8-bit codes, and code16 = 256 * code8; a fine one has 16-bit codes
// alone. As 256 is a power of two, a coarse group's part of a product is the same bit for bit from either
// codes: a kernel takes the bytes where all rows at hand are coarse, or the words throughout, whichever is
// faster.
struct quantized_rows {
  const std::int8_t* codes8 = nullptr;    // [rows][columns]; undefined in fine groups
  const std::int16_t* codes16 = nullptr;  // [rows][columns], every four columns in the order 0, 2, 1, 3
  const std::uint8_t* fine = nullptr;     // [rows][columns / group], 0 or 1
  const float* scales = nullptr;          // [rows][columns / group]
  const float* sums = nullptr;            // [rows][columns / group], scale * sum of codes
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::uint32_t group = 32;
};

// Where one row of quantized_rows is written.
struct quantized_row {
  std::int8_t* codes8 = nullptr;
  std::int16_t* codes16 = nullptr;
  std::uint8_t* fine = nullptr;
  float* scales = nullptr;
  float* sums = nullptr;
};

enum class kv_type : std::uint8_t { f32, f16 };

inline constexpr std::size_t kv_block_tokens = 16;

// One layer's paged KV store. A block holds kv_block_tokens positions of every KV head:
//   keys   [block][kv_head][head_size][16]   positions over lanes, so scores of a block are one vector
//   values [block][kv_head][16][head_size]   features over lanes
struct kv_layer {
  void* keys = nullptr;
  void* values = nullptr;
  kv_type type = kv_type::f16;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;  // a multiple of 16, at most 256
};

// One query row: the attention of one token.
struct attention_row {
  const float* query = nullptr;          // [heads][head_size], already rotated
  float* out = nullptr;                  // [heads][head_size]
  const std::uint32_t* table = nullptr;  // block ids covering positions [0, position]
  std::uint32_t position = 0;            // attends to positions [first, position]
  std::uint32_t first = 0;               // max(0, position - window + 1) with a sliding window, else 0
};

enum class rope_pairing : std::uint8_t { interleaved, half_split };
enum class activation : std::uint8_t { silu, gelu_tanh };

struct kernel_table {
  isa level;
  std::string_view name;  // "avx512"

  // out[rows][n] for the tiles [tile_begin, tile_end) of `w` (tile t covers features 16t..16t+15; features
  // past w.rows are not written). out_stride in floats. bits4 and bits8 weights. 2 * rows * n * k operations.
  void (*matmul_quantized)(const packed_matrix& w, const quantized_rows& x, std::size_t tile_begin,
                           std::size_t tile_end, float* out, std::size_t out_stride);
  // The same for f32 weights and float activations x[rows][w.columns].
  void (*matmul_f32)(const packed_matrix& w, const float* x, std::size_t rows, std::size_t tile_begin,
                     std::size_t tile_end, float* out, std::size_t out_stride);
  // Quantises x[columns] with one scale a group (max |x| / 127, codes to nearest even). A group whose max |x|
  // is above `fine_above` is fine: 0 makes all fine, infinity none. NaN or infinity gives codes 0 and a NaN
  // scale, so a broken value stays visible. Groups below 1e-33 become zeros.
  void (*quantize_row)(const float* x, std::size_t columns, std::uint32_t group, float fine_above,
                       const quantized_row& out);
  // sqrt(mean(x^2)).
  float (*root_mean_square)(const float* x, std::size_t columns);
  // out = x / sqrt(mean(x^2) + eps) * weight; out may be x.
  void (*rms_norm)(const float* x, const float* weight, std::size_t columns, float eps, float* out);
  // x += y.
  void (*add)(float* x, const float* y, std::size_t count);
  // gate = act(gate) * up.
  void (*gated_activation)(activation act, float* gate, const float* up, std::size_t count);
  // Rotates heads * head_size values in place; cos and sin hold rotary / 2 values for the token's position.
  void (*rope)(rope_pairing pairing, float* x, std::size_t heads, std::size_t head_size, std::size_t rotary,
               const float* cos, const float* sin);
  // Writes one token's key and value [kv_heads][head_size] into slot `position % 16` of `block`.
  void (*kv_write)(const kv_layer& kv, std::uint32_t block, std::uint32_t slot, const float* key,
                   const float* value);
  // Attention of rows[count] for the KV heads [kv_head_begin, kv_head_end) and their query heads (heads /
  // kv_heads each); online softmax over blocks in ascending order, so the sum depends on the row alone.
  // `scale` multiplies q.k. Consecutive rows of one sequence (same table, rising positions) share loads of K
  // and V.
  void (*attention)(const kv_layer& kv, const attention_row* rows, std::size_t count, std::uint32_t heads,
                    std::uint32_t kv_head_begin, std::uint32_t kv_head_end, float scale);
  // Index of the largest value, the lowest index among equals; NaN never wins (0 if all are NaN).
  std::size_t (*argmax)(const float* x, std::size_t count);
};

// Tables by ISA. Calling a kernel of an ISA that this CPU lacks is undefined.
const kernel_table& baseline_kernels() noexcept;
const kernel_table& avx2_kernels() noexcept;
const kernel_table& avx512_kernels() noexcept;

// The best ISA of this CPU and operating system; NEAP_ISA in the environment (baseline, avx2, avx512) may
// lower it.
isa best_isa() noexcept;
const kernel_table& kernels_for(isa level) noexcept;

// Weight packing (once, at load; not per ISA).

// Which kind keeps `type` quantised: bits4, bits8, or f32 for unquantised types.
packed_kind natural_kind(tensor_type type) noexcept;
std::uint32_t natural_group(tensor_type type) noexcept;

// Bytes that pack_tiles fills for an [n, k] matrix; all three buffers 64-byte aligned.
packed_size packed_bytes(packed_kind kind, std::uint32_t group, std::size_t rows,
                         std::size_t columns) noexcept;

// Packs the tiles [tile_begin, tile_end) of a row-major GGUF matrix [rows][columns] into the buffers of `out`
// (whose views are written through). Rows past the end of the last tile become zeros. Safe to call in
// parallel on disjoint tiles.
void pack_tiles(tensor_type type, const void* source, std::size_t tile_begin, std::size_t tile_end,
                const packed_matrix& out) noexcept;

}  // namespace neap::kernels
