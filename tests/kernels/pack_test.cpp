// Weight packing: what a product reads must be what the GGUF format means.

#include "kernels/float16.hpp"
#include "kernels/reference/reference.hpp"
#include "tests/kernels/kernel_fixture.hpp"
#include "tests/kernels/weights.hpp"

namespace neap::kernels::test {
namespace {

constexpr std::size_t feature_counts[] = {1, 15, 16, 17, 40};

// Largest difference between packed and dequantised weights, relative to the size of the parts (scale * code
// and minimum) that fp16 rounds.
double packing_error(const raw_matrix& raw, const packed_matrix& packed) {
  const std::vector<float> exact = raw.dequantized();
  double worst = 0.0;
  for (std::size_t row = 0; row < raw.rows; ++row)
    for (std::size_t k = 0; k < raw.columns; ++k) {
      const double difference =
          std::abs(reference::packed_weight(packed, row, k) - exact[row * raw.columns + k]);
      double size = 1e-30;
      if (packed.kind != packed_kind::f32) {
        const std::size_t groups = raw.columns / packed.group;
        const std::size_t at = ((row / 16) * groups + k / packed.group) * 16 + row % 16;
        size = std::abs(reference::from_f16(packed.minimums[at])) +
               255 * std::abs(reference::from_f16(packed.scales[at]));
      }
      worst = std::max(worst, difference / size);
    }
  return worst;
}

TEST(pack, keeps_quantised_weights) {
  for (const tensor_type type : quantized_types)
    for (const std::size_t rows : feature_counts) {
      const raw_matrix raw = random_matrix(type, rows, 512, 7);
      const packed_weights packed(raw, natural_kind(type));
      // Only the K types multiply two scales; the others keep GGUF's own fp16 numbers.
      const bool rounds = traits(type).block_elements == 256;
      EXPECT_LE(packing_error(raw, packed.view()), rounds ? 0x1p-11 : 1e-7)
          << traits(type).name << " " << rows;
    }
}

TEST(pack, is_exact_in_the_32_bit_mode) {
  const std::vector<tensor_type> plain = {tensor_type::f32, tensor_type::f16, tensor_type::bf16};
  std::vector<tensor_type> types(std::begin(quantized_types), std::end(quantized_types));
  types.insert(types.end(), plain.begin(), plain.end());
  for (const tensor_type type : types)
    for (const std::size_t rows : feature_counts) {
      const raw_matrix raw = random_matrix(type, rows, 512, 8);
      const packed_weights packed(raw, packed_kind::f32);
      EXPECT_EQ(packing_error(raw, packed.view()), 0.0) << traits(type).name << " " << rows;
    }
}

TEST(pack, reads_blocks_that_are_not_aligned) {
  const raw_matrix raw = random_matrix(tensor_type::q5_k, 17, 512, 9);
  const packed_weights packed(raw, packed_kind::bits8);
  const misaligned_copy<std::uint8_t> moved(raw.bytes, 3);
  const packed_weights again(raw, packed_kind::bits8);
  pack_tiles(raw.type, moved.data(), 0, 2, again.view());
  const packed_size size = packed_bytes(packed_kind::bits8, 32, 17, 512);
  EXPECT_TRUE(same_bits(packed.view().codes, again.view().codes, size.code_bytes));
}

TEST(pack, fills_lanes_past_the_last_row_with_zero_weights) {
  for (const tensor_type type : quantized_types) {
    const raw_matrix raw = random_matrix(type, 1, 256, 10);
    const packed_weights packed(raw, natural_kind(type));
    for (std::size_t k = 0; k < 256; ++k) EXPECT_EQ(reference::packed_weight(packed.view(), 15, k), 0.0);
  }
}

TEST(pack, sizes_cover_whole_tiles) {
  const packed_size four = packed_bytes(packed_kind::bits4, 32, 17, 64);
  EXPECT_EQ(four.code_bytes, 32U * 64 / 2);
  EXPECT_EQ(four.scale_bytes, 32U * 2 * 2);
  EXPECT_EQ(packed_bytes(packed_kind::bits8, 16, 16, 256).scale_bytes, 16U * 16 * 2);
  EXPECT_EQ(packed_bytes(packed_kind::f32, 32, 1, 32).code_bytes, 16U * 32 * 4);
}

TEST(pack, natural_kinds) {
  EXPECT_EQ(natural_kind(tensor_type::q4_1), packed_kind::bits4);
  EXPECT_EQ(natural_kind(tensor_type::q6_k), packed_kind::bits8);
  EXPECT_EQ(natural_kind(tensor_type::bf16), packed_kind::f32);
  EXPECT_EQ(natural_group(tensor_type::q6_k), 16U);
  EXPECT_EQ(natural_group(tensor_type::q4_k), 32U);
}

TEST(float16, every_half_survives_a_round_trip) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_from_f16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_f16(f16_from_float(value))));
    } else {
      EXPECT_EQ(value, reference::from_f16(half));
      EXPECT_EQ(f16_from_float(value), half);
    }
  }
}

TEST(float16, rounds_to_nearest_even) {
  for (std::uint16_t half = 0; half < 0x7BFF; ++half) {
    const float low = float_from_f16(half);
    const float high = float_from_f16(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    EXPECT_EQ(f16_from_float(middle), half + half % 2);
    EXPECT_EQ(f16_from_float(std::nextafter(middle, high)), half + 1);
    EXPECT_EQ(f16_from_float(-std::nextafter(middle, 0.0F)), 0x8000 | half);
  }
  EXPECT_EQ(f16_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(f16_from_float(65519.0F), 0x7BFF);
}

}  // namespace
}  // namespace neap::kernels::test
