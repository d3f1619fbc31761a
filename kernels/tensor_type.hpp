#pragma once
// Storage types of weights, as GGUF numbers them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neap::kernels {

// Values are GGUF's type numbers.
enum class tensor_type : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  bf16 = 30,
};

struct tensor_type_traits {
  std::string_view name;       // "Q4_1"
  std::size_t block_elements;  // elements that share scales; a row is a whole number of blocks
  std::size_t block_bytes;
};

// Traits of a supported type, or nothing for any other GGUF type number.
std::optional<tensor_type_traits> find_traits(std::uint32_t gguf_type) noexcept;
const tensor_type_traits& traits(tensor_type type) noexcept;

// Bytes of a row of `elements` values; elements must be a multiple of block_elements.
std::size_t row_bytes(tensor_type type, std::size_t elements) noexcept;

// Dequantises `elements` consecutive values of one row to floats, exactly as the GGUF format defines them.
// `source` needs no alignment. Cost: about 1 ns an element.
void dequantize_row(tensor_type type, const void* source, std::size_t elements, float* out) noexcept;

}  // namespace neap::kernels
