#pragma once
// Weight matrices in the layout the CPU matrix kernels read: output features interleaved over vector lanes.
//
// Every product sums over k in ascending order inside one lane, so an output value depends on its row of
// activations, its row of weights and the ISA alone: batch-invariant by construction.
//
// Tile: `lanes` = 16 output features. Codes are unsigned (Q4_0, Q4_1, Q4_K: 0..15; Q5_*: 0..31; Q6_K: 0..63;
// Q8_0: q+128), because the VNNI product is unsigned x signed; w = scale * code + minimum restores any of the
// formats (minimum = -128*scale for Q8_0, ...). The sum of a product over one group of `group` values of k is
//     scale * x_scale * dot(code, x_code) + minimum * x_scale * sum(x_code).
//
// Code bytes of a tile, one group of k after the other:
//   bits8: group/4 vectors of 64 bytes; byte 4*lane+i of vector j is the code of k = 4j+i
//   bits4: 4 vectors of 64 bytes; byte 4*lane+i of vector j holds the code of k = 4j+i in its low nibble and
//          that of k = 16+4j+i in its high one (the order GGUF keeps inside a block)
//   f32:   16 floats for each k

#include "kernels/tensor_type.hpp"

#include <cstddef>
#include <cstdint>

namespace neap::kernels {

enum class packed_kind : std::uint8_t {
  bits4,  // two codes a byte
  bits8,  // one code a byte
  f32,    // floats, the 32-bit mode: F32/F16/BF16 weights, and norm-free exactness for tests
};

inline constexpr std::size_t packed_lanes = 16;

// A view; the bytes belong to whoever allocated them (64-byte aligned).
struct packed_matrix {
  packed_kind kind = packed_kind::f32;
  std::uint32_t group = 32;  // values of k that share a scale: 32, or 16 for Q6_K
  std::size_t rows = 0;      // output features n
  std::size_t columns = 0;   // k, a multiple of group
  const std::uint8_t* codes = nullptr;
  const std::uint16_t* scales = nullptr;    // fp16 [tile][column group][16]; unused by f32
  const std::uint16_t* minimums = nullptr;  // fp16 [tile][column group][16]; unused by f32
};

struct packed_size {
  std::size_t code_bytes = 0;
  std::size_t scale_bytes = 0;  // scales and minimums, each
};

}  // namespace neap::kernels
