// Q4_0, Q4_1 and Q4_K: four-bit codes. Everything works on words of four codes.

#include "kernels/float16.hpp"
#include "kernels/pack_detail.hpp"

namespace neap::kernels::packing {
namespace {

// GGUF's order inside a 32-element block is already the packed one.
void put_nibbles(const std::uint8_t* nibbles, const lane_writer& out) {
  for (std::size_t j = 0; j < 4; ++j) out.put_codes(j, load_word(nibbles + 4 * j));
}

// Block: d (fp16), 16 bytes. w = d * (code - 8).
void pack_q4_0(const std::uint8_t* block, const lane_writer& out) {
  const std::uint16_t d = load_half(block);
  out.put_scale(0, d, f16_from_float(-8.0F * float_from_f16(d)));
  put_nibbles(block + 2, out);
}

// Block: d, m (fp16), 16 bytes. w = d * code + m.
void pack_q4_1(const std::uint8_t* block, const lane_writer& out) {
  out.put_scale(0, load_half(block), load_half(block + 2));
  put_nibbles(block + 4, out);
}

// Block of 256: d, dmin (fp16), 12 bytes of scales, 128 bytes. Each 32 bytes hold one sub-block in their low
// nibbles and the next in their high ones.
void pack_q4_k(const std::uint8_t* block, const lane_writer& out) {
  const float d = float_from_f16(load_half(block));
  const float minimum = float_from_f16(load_half(block + 2));
  for (std::size_t group = 0; group < 8; ++group) {
    const sub_scale sub = unpack_sub_scale(block + 4, group);
    out.put_scale(group, f16_from_float(d * static_cast<float>(sub.scale)),
                  f16_from_float(-minimum * static_cast<float>(sub.minimum)));
  }
  constexpr std::uint32_t low = 0x0F0F0F0FU;
  for (std::size_t pair = 0; pair < 4; ++pair)
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint32_t first = load_word(block + 16 + 32 * pair + 4 * j);
      const std::uint32_t second = load_word(block + 32 + 32 * pair + 4 * j);
      out.put_codes(8 * pair + j, (first & low) | ((second & low) << 4));
      out.put_codes(8 * pair + 4 + j, ((first >> 4) & low) | (second & ~low));
    }
}

}  // namespace

block_packer bits4_packer(tensor_type type) noexcept {
  switch (type) {
    case tensor_type::q4_0:
      return &pack_q4_0;
    case tensor_type::q4_1:
      return &pack_q4_1;
    case tensor_type::q4_k:
      return &pack_q4_k;
    default:
      return nullptr;
  }
}

}  // namespace neap::kernels::packing
