#pragma once
// Naive versions of the kernels in double precision, for tests: one obvious loop each, no speed.

#include "kernels/kernel_table.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace neap::kernels::reference {

// Half precision to double, exact.
double from_f16(std::uint16_t half);

// Weight of feature `row` at `k`, from the packed form: scale * code + minimum (f32: the float).
double packed_weight(const packed_matrix& w, std::size_t row, std::size_t k);

// out[rows][n] of packed weights and the values scale * code that quantised activations stand for.
std::vector<double> matmul_quantized(const packed_matrix& w, const quantized_rows& x);

// Sum over k of |weight * activation|, the measure of what rounding may cost, as matmul_quantized.
std::vector<double> matmul_quantized_magnitude(const packed_matrix& w, const quantized_rows& x);

// out[rows][n] = x[rows][k] times w[n][k] transposed; `magnitude` sums absolute products instead.
std::vector<double> matmul(std::span<const float> w, std::span<const float> x, std::size_t k,
                           bool magnitude = false);

// x / sqrt(mean(x^2) + eps) * weight.
std::vector<double> rms_norm(std::span<const float> x, std::span<const float> weight, double eps);

// act(gate) * up.
std::vector<double> gated_activation(activation act, std::span<const float> gate, std::span<const float> up);

// Keys and values of one sequence and one KV head, position after position.
struct sequence_kv {
  std::vector<float> keys;    // [positions][head_size]
  std::vector<float> values;  // [positions][head_size]
  std::size_t head_size = 0;
};

// Softmax attention of one query over the positions [first, position].
std::vector<double> attention(const sequence_kv& kv, std::span<const float> query, std::size_t first,
                              std::size_t position, double scale);

}  // namespace neap::kernels::reference
