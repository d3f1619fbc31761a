// Weight packing: kinds, sizes, and the walk over tiles.

#include "kernels/kernel_table.hpp"
#include "kernels/pack_detail.hpp"

namespace neap::kernels {
namespace {

// A block of any type whose weights are all zero, for lanes past the last row.
constexpr std::uint8_t zero_block[256] = {};

std::size_t bytes_of_group(const packed_matrix& m) {
  return packed_lanes * m.group / (m.kind == packed_kind::bits4 ? 2 : 1);
}

// Where lane `lane` of `tile` begins its column group `group`. The views of `m` are its owner's writable
// buffers.
packing::lane_writer writer_at(const packed_matrix& m, std::size_t tile, std::size_t group,
                               std::size_t lane) {
  const std::size_t at = tile * (m.columns / m.group) + group;
  return {.codes = const_cast<std::uint8_t*>(m.codes) + at * bytes_of_group(m) + 4 * lane,
          .scales = const_cast<std::uint16_t*>(m.scales) + at * packed_lanes + lane,
          .minimums = const_cast<std::uint16_t*>(m.minimums) + at * packed_lanes + lane};
}

// Block after block over all lanes, so that the lines being written stay in the L1 cache.
void pack_quantized_tile(packing::block_packer pack, const tensor_type_traits& type,
                         const std::uint8_t* source, std::size_t tile, const packed_matrix& out) {
  const std::size_t blocks = out.columns / type.block_elements;
  const std::size_t groups_per_block = type.block_elements / out.group;
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t lane = 0; lane < packed_lanes; ++lane) {
      const std::size_t row = tile * packed_lanes + lane;
      const std::uint8_t* from = zero_block;
      if (row < out.rows) from = source + (row * blocks + block) * type.block_bytes;
      pack(from, writer_at(out, tile, block * groups_per_block, lane));
    }
}

}  // namespace

packed_kind natural_kind(tensor_type type) noexcept {
  if (packing::bits4_packer(type) != nullptr) return packed_kind::bits4;
  return packing::bits8_packer(type) != nullptr ? packed_kind::bits8 : packed_kind::f32;
}

std::uint32_t natural_group(tensor_type type) noexcept { return type == tensor_type::q6_k ? 16 : 32; }

packed_size packed_bytes(packed_kind kind, std::uint32_t group, std::size_t rows,
                         std::size_t columns) noexcept {
  const std::size_t weights = (rows + packed_lanes - 1) / packed_lanes * packed_lanes * columns;
  if (kind == packed_kind::f32) return {.code_bytes = weights * sizeof(float), .scale_bytes = 0};
  return {.code_bytes = kind == packed_kind::bits4 ? weights / 2 : weights,
          .scale_bytes = weights / group * sizeof(std::uint16_t)};
}

void pack_tiles(tensor_type type, const void* source, std::size_t tile_begin, std::size_t tile_end,
                const packed_matrix& out) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(source);
  const packing::block_packer pack =
      out.kind == packed_kind::bits4 ? packing::bits4_packer(type) : packing::bits8_packer(type);
  for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
    if (out.kind == packed_kind::f32)
      packing::pack_f32_tile(type, bytes, tile, out);
    else
      pack_quantized_tile(pack, traits(type), bytes, tile, out);
  }
}

}  // namespace neap::kernels
