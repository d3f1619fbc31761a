#pragma once
// Random GGUF tensors and their packed form.

#include "kernels/kernel_table.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace neap::kernels::test {

// A row-major GGUF matrix of valid blocks: random codes, and scales such that weights are of order 1.
struct raw_matrix {
  tensor_type type;
  std::size_t rows;
  std::size_t columns;
  std::vector<std::uint8_t> bytes;

  // All values as floats, [rows][columns].
  std::vector<float> dequantized() const;
};
raw_matrix random_matrix(tensor_type type, std::size_t rows, std::size_t columns, unsigned seed);

// Packed weights that own their buffers.
class packed_weights {
 public:
  packed_weights(const raw_matrix& raw, packed_kind kind);
  const packed_matrix& view() const { return view_; }

 private:
  struct alignas(64) line {
    std::uint8_t bytes[64];
  };
  std::vector<line> codes_, scales_, minimums_;
  packed_matrix view_;
};

// Activations quantised by a table, with their buffers. What quantize_row leaves undefined is not zero.
struct quantized_activations {
  std::vector<std::int8_t> codes8;
  std::vector<std::int16_t> codes16;
  std::vector<std::uint8_t> fine;
  std::vector<float> scales, sums;
  quantized_rows view;

  quantized_activations(const kernel_table& kernels, const std::vector<float>& x, std::size_t columns,
                        std::uint32_t group, float fine_above);
};

// Groups of random_floats all coarse, mixed, and all fine.
inline constexpr float fine_limits[] = {std::numeric_limits<float>::infinity(), 2.0F, 0.0F};

inline constexpr tensor_type quantized_types[] = {tensor_type::q4_0, tensor_type::q4_1, tensor_type::q4_k,
                                                  tensor_type::q5_0, tensor_type::q5_1, tensor_type::q5_k,
                                                  tensor_type::q6_k, tensor_type::q8_0};

}  // namespace neap::kernels::test
