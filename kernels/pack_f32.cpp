// The 32-bit mode: exact dequantised values, transposed so that a vector holds one k of 16 features.

#include "kernels/pack_detail.hpp"

namespace neap::kernels::packing {
namespace {

constexpr std::size_t chunk = 256;  // a whole number of blocks of any type; 16 rows of it fit the L1 cache

void transpose(const float (&rows)[packed_lanes][chunk], std::size_t columns, float* out) {
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t lane = 0; lane < packed_lanes; ++lane) out[k * packed_lanes + lane] = rows[lane][k];
}

}  // namespace

void pack_f32_tile(tensor_type type, const std::uint8_t* source, std::size_t tile, const packed_matrix& out) {
  const std::size_t stride = row_bytes(type, out.columns);
  auto* target = reinterpret_cast<float*>(const_cast<std::uint8_t*>(out.codes));
  target += tile * packed_lanes * out.columns;
  float rows[packed_lanes][chunk] = {};  // lanes past the last row stay zero
  for (std::size_t k = 0; k < out.columns; k += chunk) {
    const std::size_t columns = out.columns - k < chunk ? out.columns - k : chunk;
    for (std::size_t lane = 0; lane < packed_lanes; ++lane) {
      const std::size_t row = tile * packed_lanes + lane;
      if (row < out.rows)
        dequantize_row(type, source + row * stride + row_bytes(type, k), columns, rows[lane]);
    }
    transpose(rows, columns, target + k * packed_lanes);
  }
}

}  // namespace neap::kernels::packing
