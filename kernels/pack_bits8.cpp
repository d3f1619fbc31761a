// Q5_0, Q5_1, Q5_K, Q6_K and Q8_0: one code a byte. Everything works on words of four codes.

#include "kernels/float16.hpp"
#include "kernels/pack_detail.hpp"

namespace neap::kernels::packing {
namespace {

constexpr std::uint32_t low_nibbles = 0x0F0F0F0FU;

// Bits 0..3 of `bits`, each as bit 4 of one byte.
std::uint32_t spread_fifth_bits(std::uint32_t bits) {
  return (((bits & 15U) * 0x00204081U) & 0x01010101U) << 4;
}

// 32 codes from 16 bytes of nibbles (low: k 0..15, high: k 16..31) and 32 fifth bits.
void put_five_bits(const std::uint8_t* nibbles, std::uint32_t fifth, const lane_writer& out) {
  for (std::size_t j = 0; j < 4; ++j) {
    const std::uint32_t word = load_word(nibbles + 4 * j);
    out.put_codes(j, (word & low_nibbles) | spread_fifth_bits(fifth >> (4 * j)));
    out.put_codes(j + 4, ((word >> 4) & low_nibbles) | spread_fifth_bits(fifth >> (16 + 4 * j)));
  }
}

std::uint16_t scaled(std::uint16_t half, float factor) {
  return f16_from_float(factor * float_from_f16(half));
}

// Block: d (fp16), 4 bytes of fifth bits, 16 bytes. w = d * (code - 16).
void pack_q5_0(const std::uint8_t* block, const lane_writer& out) {
  const std::uint16_t d = load_half(block);
  out.put_scale(0, d, scaled(d, -16.0F));
  put_five_bits(block + 6, load_word(block + 2), out);
}

// Block: d, m (fp16), 4 bytes of fifth bits, 16 bytes. w = d * code + m.
void pack_q5_1(const std::uint8_t* block, const lane_writer& out) {
  out.put_scale(0, load_half(block), load_half(block + 2));
  put_five_bits(block + 8, load_word(block + 4), out);
}

// Block: d (fp16), 32 signed bytes. w = d * q, kept as code = q + 128.
void pack_q8_0(const std::uint8_t* block, const lane_writer& out) {
  const std::uint16_t d = load_half(block);
  out.put_scale(0, d, scaled(d, -128.0F));
  for (std::size_t j = 0; j < 8; ++j) out.put_codes(j, load_word(block + 2 + 4 * j) ^ 0x80808080U);
}

// Block of 256: d, dmin (fp16), 12 bytes of scales, 32 bytes of fifth bits (bit s of byte i: element i of
// sub-block s), 128 bytes of nibbles as in Q4_K.
void pack_q5_k(const std::uint8_t* block, const lane_writer& out) {
  const float d = float_from_f16(load_half(block));
  const float minimum = float_from_f16(load_half(block + 2));
  for (std::size_t group = 0; group < 8; ++group) {
    const sub_scale sub = unpack_sub_scale(block + 4, group);
    out.put_scale(group, f16_from_float(d * static_cast<float>(sub.scale)),
                  f16_from_float(-minimum * static_cast<float>(sub.minimum)));
    for (std::size_t j = 0; j < 8; ++j) {
      const std::uint32_t word = load_word(block + 48 + 32 * (group / 2) + 4 * j);
      const std::uint32_t fifth = (load_word(block + 16 + 4 * j) >> group) & 0x01010101U;
      out.put_codes(8 * group + j, ((word >> (4 * (group % 2))) & low_nibbles) | (fifth << 4));
    }
  }
}

// One half (128 elements) of a Q6_K block: part p of 32 elements has its low four bits in nibble p/2 of
// low[32 * (p % 2)] and its high two bits at bit 2p of `high`.
void put_q6_k_half(const std::uint8_t* low, const std::uint8_t* high, std::size_t first_vector,
                   const lane_writer& out) {
  for (std::size_t part = 0; part < 4; ++part)
    for (std::size_t j = 0; j < 8; ++j) {
      const std::uint32_t nibbles = load_word(low + 32 * (part % 2) + 4 * j) >> (4 * (part / 2));
      const std::uint32_t bits = (load_word(high + 4 * j) >> (2 * part)) & 0x03030303U;
      out.put_codes(first_vector + 8 * part + j, (nibbles & low_nibbles) | (bits << 4));
    }
}

// Block of 256: 128 bytes low bits, 64 bytes high bits, 16 signed scales, d (fp16); 16 elements a scale.
// w = d * scale * (code - 32).
void pack_q6_k(const std::uint8_t* block, const lane_writer& out) {
  const float d = float_from_f16(load_half(block + 208));
  for (std::size_t group = 0; group < 16; ++group) {
    const auto factor = static_cast<float>(static_cast<std::int8_t>(block[192 + group]));
    const std::uint16_t scale = f16_from_float(d * factor);
    out.put_scale(group, scale, scaled(scale, -32.0F));
  }
  put_q6_k_half(block, block + 128, 0, out);
  put_q6_k_half(block + 64, block + 160, 32, out);
}

}  // namespace

block_packer bits8_packer(tensor_type type) noexcept {
  switch (type) {
    case tensor_type::q5_0:
      return &pack_q5_0;
    case tensor_type::q5_1:
      return &pack_q5_1;
    case tensor_type::q5_k:
      return &pack_q5_k;
    case tensor_type::q6_k:
      return &pack_q6_k;
    case tensor_type::q8_0:
      return &pack_q8_0;
    default:
      return nullptr;
  }
}

}  // namespace neap::kernels::packing
