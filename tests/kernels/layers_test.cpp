// Quantisation of activations, norms, activations, rotary positions, argmax, KV writes.

#include "kernels/float16.hpp"
#include "kernels/reference/reference.hpp"
#include "tests/kernels/kernel_fixture.hpp"
#include "tests/kernels/weights.hpp"

#include <limits>

namespace neap::kernels::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t lengths[] = {1, 15, 16, 17, 63, 64, 65, 576, 1000};

class layers : public kernel_test {};
NEAP_FOR_EACH_ISA(layers);

// One group; codes in units of 256, as codes16 has them, but in the order of x.
struct quantized_group {
  std::vector<int> codes;
  float scale = 0;
  float sum = 0;
};
quantized_group quantize(const kernel_table& kernels, const std::vector<float>& x, bool fine) {
  const quantized_activations activations(kernels, x, x.size(), static_cast<std::uint32_t>(x.size()),
                                          fine ? 0.0F : infinity);
  quantized_group q{{}, activations.scales[0], activations.sums[0]};
  constexpr std::size_t order[] = {0, 2, 1, 3};  // of codes16
  for (std::size_t i = 0; i < x.size(); ++i) {
    q.codes.push_back(activations.codes16[i / 4 * 4 + order[i % 4]]);
    if (activations.fine[0] == 0) {
      EXPECT_EQ(q.codes.back(), 256 * activations.codes8[i]);
    }
  }
  return q;
}

TEST_P(layers, quantize_rounds_to_the_nearest_code) {
  for (const std::size_t group : {16U, 32U})
    for (const bool fine : {false, true})
      for (unsigned seed = 0; seed < 50; ++seed) {
        const std::vector<float> x = random_floats(group, seed, seed % 2 == 0 ? 1.0F : 1e-6F);
        const quantized_group q = quantize(kernels(), x, fine);
        double largest = 0.0;
        int total = 0;
        const double step = fine ? q.scale / 256 : q.scale;
        for (std::size_t i = 0; i < group; ++i) {
          largest = std::max(largest, std::abs(static_cast<double>(x[i])));
          total += q.codes[i];
          EXPECT_LE(std::abs(x[i] - static_cast<double>(q.scale) * q.codes[i] / 256), step * 0.51);
        }
        EXPECT_FLOAT_EQ(q.scale, static_cast<float>(largest / 127));
        EXPECT_EQ(q.sum, q.scale * (static_cast<float>(total) / 256));
      }
}

TEST_P(layers, quantize_breaks_ties_to_even) {
  for (const bool fine : {false, true}) {
    const int unit = fine ? 1 : 256;
    std::vector<float> x(16, 0.0F);
    x[0] = fine ? 32512.0F : 127.0F;
    for (int i = 1; i < 8; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i) + 0.5F;
    x[8] = -2.5F;
    const quantized_group q = quantize(kernels(), x, fine);
    const std::vector<int> expected = {32512 / unit, 2, 2, 4, 4, 6, 6, 8, -2};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(q.codes[i], unit * expected[i]) << i;
  }
}

TEST_P(layers, quantize_keeps_only_groups_above_the_limit_fine) {
  std::vector<float> x(4 * 32, 0.5F);
  x[32] = -3.0F;
  x[64] = 2.0F;
  x[96] = nan;
  const quantized_activations q(kernels(), x, x.size(), 32, 2.0F);
  EXPECT_EQ(q.fine, (std::vector<std::uint8_t>{0, 1, 0, 0}));
}

TEST_P(layers, quantize_keeps_broken_values_visible) {
  for (const bool fine : {false, true})
    for (const float broken : {nan, infinity, -infinity}) {
      std::vector<float> x = random_floats(32, 3);
      x[17] = broken;
      const quantized_group q = quantize(kernels(), x, fine);
      EXPECT_TRUE(std::isnan(q.scale));
      EXPECT_TRUE(std::isnan(q.sum));
      for (const int code : q.codes) EXPECT_EQ(code, 0);
    }
}

// The inverse of the scale would overflow: such groups count as zero.
TEST_P(layers, quantize_gives_zero_for_vanishing_values) {
  for (const bool fine : {false, true})
    for (const float value : {0.0F, 1e-45F, 1e-40F, -1e-36F, 9e-34F}) {
      const quantized_group q = quantize(kernels(), std::vector<float>(32, value), fine);
      EXPECT_EQ(q.scale, 0.0F);
      EXPECT_EQ(q.sum, 0.0F);
      for (const int code : q.codes) EXPECT_EQ(code, 0);
    }
}

TEST_P(layers, root_mean_square_equals_double_precision) {
  for (const std::size_t n : lengths) {
    const std::vector<float> x = random_floats(n, 20, 3.0F);
    double sum = 0;
    for (const double v : x) sum += v * v;
    const double expected = std::sqrt(sum / static_cast<double>(n));
    EXPECT_NEAR(kernels().root_mean_square(x.data(), n), expected, 2e-6 * expected);
  }
}

TEST_P(layers, rms_norm_equals_double_precision) {
  for (const std::size_t n : lengths) {
    const misaligned_copy<float> x(random_floats(n, 4, 3.0F), 4);
    const std::vector<float> weight = random_floats(n, 5);
    std::vector<float> out(n + 1, -7.0F);
    kernels().rms_norm(x.data(), weight.data(), n, 1e-5F, out.data());
    const std::vector<double> expected = reference::rms_norm({x.data(), n}, weight, 1e-5);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(out[i], expected[i], 2e-6 * std::abs(expected[i]) + 1e-9);
    EXPECT_EQ(out[n], -7.0F);
    std::vector<float> in_place(x.data(), x.data() + n);
    kernels().rms_norm(in_place.data(), weight.data(), n, 1e-5F, in_place.data());
    EXPECT_TRUE(same_bits(in_place.data(), out.data(), n));
  }
}

TEST_P(layers, rms_norm_of_a_broken_row_is_broken) {
  std::vector<float> x(64, 1.0F);
  x[40] = nan;
  kernels().rms_norm(x.data(), std::vector<float>(64, 1.0F).data(), 64, 1e-5F, x.data());
  for (const float v : x) EXPECT_TRUE(std::isnan(v));
}

TEST_P(layers, add_adds) {
  for (const std::size_t n : lengths) {
    std::vector<float> x = random_floats(n, 6);
    const std::vector<float> before = x;
    const misaligned_copy<float> y(random_floats(n, 7), 4);
    kernels().add(x.data(), y.data(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], before[i] + y.data()[i]);
  }
}

TEST_P(layers, gated_activations_equal_double_precision) {
  for (const activation act : {activation::silu, activation::gelu_tanh})
    for (const std::size_t n : lengths) {
      std::vector<float> gate = random_floats(n, 8, 4.0F);
      const std::vector<float> up = random_floats(n, 9);
      const std::vector<double> expected = reference::gated_activation(act, gate, up);
      kernels().gated_activation(act, gate.data(), up.data(), n);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(gate[i], expected[i], 3e-6 * std::abs(expected[i]) + 1e-7) << n << " " << i;
    }
}

// silu(x) / x is 1 / (1 + e^-x): for large negative x its relative error is that of the exponential.
TEST_P(layers, exponential_is_accurate_to_a_few_units) {
  std::vector<float> x;
  for (float v = -86.0F; v < 88.0F; v += 0.00371F) x.push_back(v);
  std::vector<float> y = x;
  kernels().gated_activation(activation::silu, y.data(), std::vector<float>(x.size(), 1.0F).data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] / (1.0 + std::exp(-static_cast<double>(x[i])));
    ASSERT_LE(std::abs(y[i] - expected), 4 * 0x1p-23 * std::abs(expected)) << x[i];
  }
}

TEST_P(layers, activations_at_the_ends_of_the_range) {
  for (const activation act : {activation::silu, activation::gelu_tanh}) {
    std::vector<float> x = {nan, infinity, -200.0F, 200.0F, 0.0F, -1e30F, 3e38F};
    kernels().gated_activation(act, x.data(), std::vector<float>(7, 1.0F).data(), 7);
    EXPECT_TRUE(std::isnan(x[0]));
    EXPECT_EQ(x[1], infinity);
    EXPECT_EQ(x[2], 0.0F);
    EXPECT_EQ(x[3], 200.0F);
    EXPECT_EQ(x[4], 0.0F);
    EXPECT_EQ(x[5], 0.0F);
    EXPECT_EQ(x[6], 3e38F);
  }
}

TEST_P(layers, rope_rotates_pairs) {
  constexpr std::size_t heads = 3, size = 64, rotary = 48;
  const std::vector<float> angles = random_floats(rotary / 2, 10);
  std::vector<float> cos, sin;
  for (const float a : angles) {
    cos.push_back(std::cos(a));
    sin.push_back(std::sin(a));
  }
  for (const rope_pairing pairing : {rope_pairing::interleaved, rope_pairing::half_split}) {
    const std::vector<float> before = random_floats(heads * size, 11);
    std::vector<float> x = before;
    kernels().rope(pairing, x.data(), heads, size, rotary, cos.data(), sin.data());
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < rotary / 2; ++i) {
        const bool split = pairing == rope_pairing::half_split;
        const std::size_t a = h * size + (split ? i : 2 * i);
        const std::size_t b = split ? a + rotary / 2 : a + 1;
        EXPECT_NEAR(x[a], double{before[a]} * cos[i] - double{before[b]} * sin[i], 1e-6);
        EXPECT_NEAR(x[b], double{before[a]} * sin[i] + double{before[b]} * cos[i], 1e-6);
      }
      EXPECT_TRUE(same_bits(x.data() + h * size + rotary, before.data() + h * size + rotary, size - rotary));
    }
  }
}

TEST_P(layers, argmax_takes_the_lowest_index_of_the_largest) {
  for (const std::size_t n : lengths) {
    std::vector<float> x = random_floats(n, 12);
    x[n / 2] = 50.0F;
    x[n - 1] = 50.0F;
    EXPECT_EQ(kernels().argmax(x.data(), n), n / 2);
    x[0] = nan;
    if (n > 1) {
      EXPECT_EQ(kernels().argmax(x.data(), n), n / 2 == 0 ? n - 1 : n / 2);
    }
  }
  const std::vector<float> none(40, nan);
  EXPECT_EQ(kernels().argmax(none.data(), 40), 0U);
  std::vector<float> lowest(40, nan);
  lowest[20] = -infinity;
  EXPECT_EQ(kernels().argmax(lowest.data(), 40), 20U);
  lowest[33] = infinity;
  EXPECT_EQ(kernels().argmax(lowest.data(), 40), 33U);
}

TEST_P(layers, kv_write_puts_each_element_in_its_place) {
  constexpr std::uint32_t kv_heads = 2, size = 32, block = 1, slot = 5;
  const std::vector<float> key = random_floats(kv_heads * size, 13);
  const std::vector<float> value = random_floats(kv_heads * size, 14);
  std::vector<std::uint16_t> keys(2 * kv_heads * size * 16, 0x1234), values = keys;
  const kv_layer layer{keys.data(), values.data(), kv_type::f16, kv_heads, size};
  kernels().kv_write(layer, block, slot, key.data(), value.data());
  std::size_t changed = 0;
  for (std::size_t h = 0; h < kv_heads; ++h)
    for (std::size_t d = 0; d < size; ++d) {
      const std::size_t head = (block * kv_heads + h) * size * 16;
      EXPECT_EQ(keys[head + d * 16 + slot], f16_from_float(key[h * size + d]));
      EXPECT_EQ(values[head + slot * size + d], f16_from_float(value[h * size + d]));
    }
  for (const std::uint16_t k : keys) changed += k != 0x1234;
  for (const std::uint16_t v : values) changed += v != 0x1234;
  EXPECT_EQ(changed, 2U * kv_heads * size);
}

}  // namespace
}  // namespace neap::kernels::test
