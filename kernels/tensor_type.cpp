#include "kernels/tensor_type.hpp"

#include "kernels/float16.hpp"

#include <array>
#include <cstring>

namespace neap::kernels {
namespace {

using bytes = const std::uint8_t*;

constexpr std::array<std::pair<tensor_type, tensor_type_traits>, 11> table{{
    {tensor_type::f32, {"F32", 1, 4}},
    {tensor_type::f16, {"F16", 1, 2}},
    {tensor_type::bf16, {"BF16", 1, 2}},
    {tensor_type::q4_0, {"Q4_0", 32, 18}},
    {tensor_type::q4_1, {"Q4_1", 32, 20}},
    {tensor_type::q5_0, {"Q5_0", 32, 22}},
    {tensor_type::q5_1, {"Q5_1", 32, 24}},
    {tensor_type::q8_0, {"Q8_0", 32, 34}},
    {tensor_type::q4_k, {"Q4_K", 256, 144}},
    {tensor_type::q5_k, {"Q5_K", 256, 176}},
    {tensor_type::q6_k, {"Q6_K", 256, 210}},
}};

template <class T>
T load(bytes from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float load_half(bytes from) { return float_from_f16(load<std::uint16_t>(from)); }

// Element i of a 32-element block of 4-bit codes: low nibbles hold the first half, high nibbles the second.
unsigned nibble(bytes codes, std::size_t i) { return i < 16 ? codes[i] & 15U : codes[i - 16] >> 4; }

// The fifth bits of a Q5 block are the bits of a 32-bit word.
unsigned fifth_bit(std::uint32_t high, std::size_t i) { return ((high >> i) & 1U) << 4; }

void block_q4_0(bytes in, float* out) {
  const float scale = load_half(in);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(static_cast<int>(nibble(in + 2, i)) - 8);
}

void block_q4_1(bytes in, float* out) {
  const float scale = load_half(in), minimum = load_half(in + 2);
  for (std::size_t i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(nibble(in + 4, i)) + minimum;
}

void block_q5_0(bytes in, float* out) {
  const float scale = load_half(in);
  const auto high = load<std::uint32_t>(in + 2);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(static_cast<int>(nibble(in + 6, i) | fifth_bit(high, i)) - 16);
}

void block_q5_1(bytes in, float* out) {
  const float scale = load_half(in), minimum = load_half(in + 2);
  const auto high = load<std::uint32_t>(in + 4);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(nibble(in + 8, i) | fifth_bit(high, i)) + minimum;
}

void block_q8_0(bytes in, float* out) {
  const float scale = load_half(in);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(static_cast<std::int8_t>(in[2 + i]));
}

struct sub_scales {
  float scale;
  float minimum;
};

// The 6-bit scale and minimum of sub-block j (0..7) of a Q4_K or Q5_K block, from its 12 packed bytes.
sub_scales k_scales(bytes packed, std::size_t j, float scale, float minimum) {
  unsigned s = 0, m = 0;
  if (j < 4) {
    s = packed[j] & 63U;
    m = packed[j + 4] & 63U;
  } else {
    s = (packed[j + 4] & 15U) | (static_cast<unsigned>(packed[j - 4] >> 6U) << 4U);
    m = (packed[j + 4] >> 4U) | (static_cast<unsigned>(packed[j] >> 6U) << 4U);
  }
  return {scale * static_cast<float>(s), minimum * static_cast<float>(m)};
}

void block_q4_k(bytes in, float* out) {
  const float scale = load_half(in), minimum = load_half(in + 2);
  bytes codes = in + 16;
  for (std::size_t j = 0; j < 8; ++j) {
    const auto s = k_scales(in + 4, j, scale, minimum);
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned byte = codes[(j / 2) * 32 + i];
      out[j * 32 + i] = s.scale * static_cast<float>(j % 2 == 0 ? byte & 15U : byte >> 4) - s.minimum;
    }
  }
}

void block_q5_k(bytes in, float* out) {
  const float scale = load_half(in), minimum = load_half(in + 2);
  bytes high = in + 16;
  bytes codes = in + 48;
  for (std::size_t j = 0; j < 8; ++j) {
    const auto s = k_scales(in + 4, j, scale, minimum);
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned byte = codes[(j / 2) * 32 + i];
      const unsigned code = (j % 2 == 0 ? byte & 15U : byte >> 4) | (((high[i] >> j) & 1U) << 4);
      out[j * 32 + i] = s.scale * static_cast<float>(code) - s.minimum;
    }
  }
}

// Two halves of 128 elements; in each, four runs of 32 share 64 bytes of low nibbles and 32 bytes of high
// pairs.
void block_q6_k(bytes in, float* out) {
  const float scale = load_half(in + 208);
  for (std::size_t half = 0; half < 2; ++half) {
    bytes low = in + half * 64;
    bytes high = in + 128 + half * 32;
    bytes scales = in + 192 + half * 8;
    for (std::size_t run = 0; run < 4; ++run) {
      for (std::size_t i = 0; i < 32; ++i) {
        const unsigned byte = low[(run % 2) * 32 + i];
        const unsigned code = (run < 2 ? byte & 15U : byte >> 4) | (((high[i] >> (2 * run)) & 3U) << 4);
        const auto sub = static_cast<std::int8_t>(scales[run * 2 + i / 16]);
        out[half * 128 + run * 32 + i] =
            scale * static_cast<float>(sub) * static_cast<float>(static_cast<int>(code) - 32);
      }
    }
  }
}

void dequantize_f32(bytes in, std::size_t elements, float* out) {
  std::memcpy(out, in, elements * sizeof(float));
}

void dequantize_f16(bytes in, std::size_t elements, float* out) {
  for (std::size_t i = 0; i < elements; ++i) out[i] = load_half(in + 2 * i);
}

void dequantize_bf16(bytes in, std::size_t elements, float* out) {
  for (std::size_t i = 0; i < elements; ++i)
    out[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(load<std::uint16_t>(in + 2 * i)) << 16);
}

using block_function = void (*)(bytes, float*);

block_function block_decoder(tensor_type type) {
  switch (type) {
    case tensor_type::q4_0:
      return block_q4_0;
    case tensor_type::q4_1:
      return block_q4_1;
    case tensor_type::q5_0:
      return block_q5_0;
    case tensor_type::q5_1:
      return block_q5_1;
    case tensor_type::q8_0:
      return block_q8_0;
    case tensor_type::q4_k:
      return block_q4_k;
    case tensor_type::q5_k:
      return block_q5_k;
    default:
      return block_q6_k;
  }
}

}  // namespace

std::optional<tensor_type_traits> find_traits(std::uint32_t gguf_type) noexcept {
  for (const auto& [type, row] : table)
    if (static_cast<std::uint32_t>(type) == gguf_type) return row;
  return std::nullopt;
}

const tensor_type_traits& traits(tensor_type type) noexcept {
  for (const auto& [candidate, row] : table)
    if (candidate == type) return row;
  return table.front().second;
}

std::size_t row_bytes(tensor_type type, std::size_t elements) noexcept {
  const auto& row = traits(type);
  return elements / row.block_elements * row.block_bytes;
}

void dequantize_row(tensor_type type, const void* source, std::size_t elements, float* out) noexcept {
  const auto* in = static_cast<bytes>(source);
  if (type == tensor_type::f32) return dequantize_f32(in, elements, out);
  if (type == tensor_type::f16) return dequantize_f16(in, elements, out);
  if (type == tensor_type::bf16) return dequantize_bf16(in, elements, out);
  const auto& row = traits(type);
  const auto decode = block_decoder(type);
  for (std::size_t i = 0; i < elements; i += row.block_elements, in += row.block_bytes) decode(in, out + i);
}

}  // namespace neap::kernels
