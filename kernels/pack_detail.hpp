#pragma once
// Parts of weight packing; the layout is described in kernels/packed_matrix.hpp.

#include "kernels/packed_matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace neap::kernels::packing {

inline std::uint32_t load_word(const std::uint8_t* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

inline std::uint16_t load_half(const std::uint8_t* p) {
  std::uint16_t half = 0;
  std::memcpy(&half, p, sizeof half);
  return half;
}

// One lane's place in a tile, from one group of k on.
struct lane_writer {
  std::uint8_t* codes;  // first word of the lane
  std::uint16_t* scales;
  std::uint16_t* minimums;

  // Four codes (bits4: four pairs) of vector `vector`, counted from this group on.
  void put_codes(std::size_t vector, std::uint32_t word) const {
    std::memcpy(codes + vector * 64, &word, sizeof word);
  }
  void put_scale(std::size_t group, std::uint16_t scale, std::uint16_t minimum) const {
    scales[group * packed_lanes] = scale;
    minimums[group * packed_lanes] = minimum;
  }
};

// Packs one GGUF block of one lane.
using block_packer = void (*)(const std::uint8_t* block, const lane_writer& out);

// The packer of a quantised type, or nullptr for types of the other kind.
block_packer bits4_packer(tensor_type type) noexcept;
block_packer bits8_packer(tensor_type type) noexcept;

// Scale and minimum (6 bits each) of sub-block `index` of a Q4_K or Q5_K block, from its 12 packed bytes.
struct sub_scale {
  std::uint32_t scale;
  std::uint32_t minimum;
};
inline sub_scale unpack_sub_scale(const std::uint8_t* packed, std::size_t index) {
  if (index < 4) return {packed[index] & 63U, packed[index + 4] & 63U};
  const std::uint32_t low = packed[index + 4];
  return {(low & 15U) | ((packed[index - 4] >> 6U) << 4U), (low >> 4U) | ((packed[index] >> 6U) << 4U)};
}

// Dequantises and packs one tile as floats.
void pack_f32_tile(tensor_type type, const std::uint8_t* source, std::size_t tile, const packed_matrix& out);

}  // namespace neap::kernels::packing
