// Matrix products of every ISA against double precision, and their independence of the batch.

#include "kernels/reference/reference.hpp"
#include "tests/kernels/kernel_fixture.hpp"
#include "tests/kernels/weights.hpp"

#include <algorithm>

namespace neap::kernels::test {
namespace {

constexpr std::size_t row_counts[] = {1, 2, 3, 4, 7, 8, 11, 12, 13, 21, 32, 40};

struct shape {
  std::size_t features;
  std::size_t columns;
};

std::size_t tiles_of(const packed_matrix& w) { return (w.rows + packed_lanes - 1) / packed_lanes; }

// Calls one product over all tiles in two parts. Output rows are two floats longer than needed, to catch
// writes past the last feature.
std::vector<float> multiply(const kernel_table& kernels, const packed_matrix& w, const quantized_rows& x) {
  const std::size_t stride = w.rows + 2;
  std::vector<float> out(x.rows * stride, -7.0F);
  const std::size_t middle = tiles_of(w) / 2;
  kernels.matmul_quantized(w, x, middle, tiles_of(w), out.data(), stride);
  kernels.matmul_quantized(w, x, 0, middle, out.data(), stride);
  return out;
}

std::vector<float> multiply(const kernel_table& kernels, const packed_matrix& w, const float* x,
                            std::size_t rows) {
  const std::size_t stride = w.rows + 2;
  std::vector<float> out(rows * stride, -7.0F);
  const std::size_t middle = tiles_of(w) / 2;
  kernels.matmul_f32(w, x, rows, middle, tiles_of(w), out.data(), stride);
  kernels.matmul_f32(w, x, rows, 0, middle, out.data(), stride);
  return out;
}

// |out - expected| <= tolerance * magnitude everywhere, and the two guard floats of each row untouched.
void expect_close(const std::vector<float>& out, const std::vector<double>& expected,
                  const std::vector<double>& magnitude, std::size_t features, double tolerance) {
  ASSERT_EQ(out.size() / (features + 2) * features, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float value = out[i / features * (features + 2) + i % features];
    ASSERT_LE(std::abs(value - expected[i]), tolerance * magnitude[i] + 1e-30) << "at " << i;
  }
  for (std::size_t end = features + 2; end <= out.size(); end += features + 2) {
    ASSERT_EQ(out[end - 1], -7.0F);
    ASSERT_EQ(out[end - 2], -7.0F);
  }
}

class matmul : public kernel_test {};
NEAP_FOR_EACH_ISA(matmul);

TEST_P(matmul, quantized_equals_the_integer_arithmetic) {
  for (const tensor_type type : quantized_types)
    for (const shape s : {shape{1, 256}, shape{15, 512}, shape{17, 256}, shape{64, 2048}, shape{577, 256}}) {
      const raw_matrix raw = random_matrix(type, s.features, s.columns, 1);
      const packed_weights w(raw, natural_kind(type));
      const std::vector<float> x = random_floats(13 * s.columns, 2);
      SCOPED_TRACE(std::string(traits(type).name) + " n " + std::to_string(s.features));
      for (const float limit : fine_limits) {
        const quantized_activations q(kernels(), x, s.columns, w.view().group, limit);
        expect_close(multiply(kernels(), w.view(), q.view), reference::matmul_quantized(w.view(), q.view),
                     reference::matmul_quantized_magnitude(w.view(), q.view), s.features, 1e-5);
      }
    }
}

// The shortest reduction there is: one block of 32.
TEST_P(matmul, quantized_with_one_group) {
  for (const tensor_type type :
       {tensor_type::q4_0, tensor_type::q4_1, tensor_type::q5_0, tensor_type::q8_0}) {
    const packed_weights w(random_matrix(type, 33, 32, 3), natural_kind(type));
    for (const float limit : fine_limits) {
      const quantized_activations q(kernels(), random_floats(5 * 32, 4), 32, 32, limit);
      expect_close(multiply(kernels(), w.view(), q.view), reference::matmul_quantized(w.view(), q.view),
                   reference::matmul_quantized_magnitude(w.view(), q.view), 33, 1e-5);
    }
  }
}

// Codes and activations at the ends of their ranges, where 16-bit intermediate sums would saturate.
TEST_P(matmul, quantized_extremes_are_exact) {
  for (const tensor_type type : quantized_types) {
    raw_matrix raw = random_matrix(type, 32, 256, 5);
    const bool ones = type != tensor_type::q8_0;
    for (std::size_t at = 32; at < raw.bytes.size(); ++at)
      if (at % traits(type).block_bytes >= 16 && at % traits(type).block_bytes < 192)
        raw.bytes[at] = ones ? 0xFF : 0x7F;
    const packed_weights w(raw, natural_kind(type));
    for (const float value : {1.0F, -1.0F})
      for (const float limit : fine_limits) {
        const quantized_activations q(kernels(), std::vector<float>(256, value), 256, w.view().group, limit);
        ASSERT_EQ(std::abs(q.codes16[0]), 127 * 256);
        expect_close(multiply(kernels(), w.view(), q.view), reference::matmul_quantized(w.view(), q.view),
                     reference::matmul_quantized_magnitude(w.view(), q.view), 32, 1e-6);
      }
  }
}

TEST_P(matmul, quantized_is_near_the_unquantised_product) {
  for (const tensor_type type : quantized_types) {
    const raw_matrix raw = random_matrix(type, 48, 1024, 6);
    const packed_weights w(raw, natural_kind(type));
    const std::vector<float> x = random_floats(4 * 1024, 7);
    const std::vector<float> values = raw.dequantized();
    for (const float limit : fine_limits) {
      const quantized_activations q(kernels(), x, 1024, w.view().group, limit);
      expect_close(multiply(kernels(), w.view(), q.view), reference::matmul(values, x, 1024),
                   reference::matmul(values, x, 1024, true), 48, limit > 0 ? 5e-3 : 1e-3);
    }
  }
}

TEST_P(matmul, f32_equals_double_precision) {
  for (const tensor_type type : {tensor_type::f32, tensor_type::f16, tensor_type::q6_k})
    for (const shape s : {shape{1, 256}, shape{15, 512}, shape{577, 256}, shape{32, 2048}}) {
      const raw_matrix raw = random_matrix(type, s.features, s.columns, 8);
      const packed_weights w(raw, packed_kind::f32);
      const std::vector<float> x = random_floats(13 * s.columns, 9);
      const std::vector<float> values = raw.dequantized();
      expect_close(multiply(kernels(), w.view(), x.data(), 13), reference::matmul(values, x, s.columns),
                   reference::matmul(values, x, s.columns, true), s.features, 1e-5);
    }
}

void expect_rows_independent_of_the_batch(const kernel_table& kernels, tensor_type type, float limit) {
  constexpr std::size_t columns = 512;
  const std::vector<float> x = random_floats(40 * columns, 10);
  const packed_weights w(random_matrix(type, 49, columns, 11), natural_kind(type));
  const quantized_activations all(kernels, x, columns, w.view().group, limit);
  std::vector<float> alone;
  for (std::size_t row = 0; row < 40; ++row) {
    const std::vector<float> one(x.begin() + static_cast<std::ptrdiff_t>(row * columns),
                                 x.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    const quantized_activations q(kernels, one, columns, w.view().group, limit);
    const std::vector<float> out = multiply(kernels, w.view(), q.view);
    alone.insert(alone.end(), out.begin(), out.end());
  }
  for (const std::size_t rows : row_counts) {
    quantized_rows part = all.view;
    part.rows = rows;
    const std::vector<float> together = multiply(kernels, w.view(), part);
    EXPECT_TRUE(same_bits(together.data(), alone.data(), together.size())) << traits(type).name << rows;
  }
}

TEST_P(matmul, quantized_rows_do_not_depend_on_the_batch) {
  for (const tensor_type type : quantized_types)
    for (const float limit : fine_limits) expect_rows_independent_of_the_batch(kernels(), type, limit);
}

// A row of coarse groups whose neighbours in the register tile are fine: words instead of bytes, the same
// bits.
TEST_P(matmul, fine_neighbours_change_no_bit_of_a_coarse_row) {
  constexpr std::size_t columns = 256;
  std::vector<float> x = random_floats(6 * columns, 18);
  const auto row = [&](std::size_t r) { return x.begin() + static_cast<std::ptrdiff_t>(r * columns); };
  for (const std::size_t r : {0, 1, 3, 4})
    std::transform(row(r), row(r + 1), row(r), [](float v) { return 100 * v; });
  for (const tensor_type type : quantized_types) {
    const packed_weights w(random_matrix(type, 37, columns, 19), natural_kind(type));
    const quantized_activations mixed(kernels(), x, columns, w.view().group, 10.0F);
    const std::vector<float> among_fine = multiply(kernels(), w.view(), mixed.view);
    const quantized_activations coarse(kernels(), x, columns, w.view().group, fine_limits[0]);
    const std::vector<float> among_coarse = multiply(kernels(), w.view(), coarse.view);
    for (const std::size_t r : {2, 5})
      EXPECT_TRUE(same_bits(among_fine.data() + r * 39, among_coarse.data() + r * 39, 39))
          << traits(type).name;
    EXPECT_FALSE(same_bits(among_fine.data(), among_coarse.data(), 39)) << traits(type).name;
  }
}

TEST_P(matmul, f32_rows_do_not_depend_on_the_batch) {
  constexpr std::size_t columns = 320;
  const misaligned_copy<float> x(random_floats(40 * columns, 12), 4);
  const packed_weights w(random_matrix(tensor_type::f32, 81, columns, 13), packed_kind::f32);
  std::vector<float> alone;
  for (std::size_t row = 0; row < 40; ++row) {
    const std::vector<float> out = multiply(kernels(), w.view(), x.data() + row * columns, 1);
    alone.insert(alone.end(), out.begin(), out.end());
  }
  for (const std::size_t rows : row_counts) {
    const std::vector<float> together = multiply(kernels(), w.view(), x.data(), rows);
    EXPECT_TRUE(same_bits(together.data(), alone.data(), together.size())) << rows;
  }
}

// Activations and results may begin anywhere.
TEST_P(matmul, quantized_reads_misaligned_activations) {
  const packed_weights w(random_matrix(tensor_type::q4_1, 48, 96, 16), packed_kind::bits4);
  for (const float limit : fine_limits) {
    const quantized_activations q(kernels(), random_floats(9 * 96, 17), 96, 32, limit);
    const misaligned_copy<std::int8_t> codes8(q.codes8, 3);
    const misaligned_copy<std::int16_t> codes16(q.codes16, 6);
    const misaligned_copy<std::uint8_t> fine(q.fine, 5);
    const misaligned_copy<float> scales(q.scales, 4), sums(q.sums, 12);
    quantized_rows moved = q.view;
    moved.codes8 = codes8.data();
    moved.codes16 = codes16.data();
    moved.fine = fine.data();
    moved.scales = scales.data();
    moved.sums = sums.data();
    const std::vector<float> expected = multiply(kernels(), w.view(), q.view);
    const std::vector<float> out = multiply(kernels(), w.view(), moved);
    EXPECT_TRUE(same_bits(out.data(), expected.data(), out.size()));
  }
}

TEST_P(matmul, a_broken_activation_stays_in_its_row) {
  const packed_weights w(random_matrix(tensor_type::q4_1, 20, 64, 14), packed_kind::bits4);
  std::vector<float> x = random_floats(3 * 64, 15);
  x[64 + 5] = std::numeric_limits<float>::quiet_NaN();
  for (const float limit : fine_limits) {
    const std::vector<float> out =
        multiply(kernels(), w.view(), quantized_activations(kernels(), x, 64, 32, limit).view);
    for (std::size_t n = 0; n < 20; ++n) {
      EXPECT_FALSE(std::isnan(out[n]));
      EXPECT_TRUE(std::isnan(out[22 + n]));
      EXPECT_FALSE(std::isnan(out[44 + n]));
    }
  }
}

}  // namespace
}  // namespace neap::kernels::test
