// Dequantisation against the format's definitions, written per element in double precision.

#include "kernels/tensor_type.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

namespace neap::kernels {
namespace {

using block = const unsigned char*;

int bits(unsigned value, int from, int count) {
  return static_cast<int>(value >> from & ((1U << count) - 1));
}

// IEEE 754 half precision by its definition: sign, 5 bits of exponent, 10 of fraction.
double half(block at) {
  const unsigned word = at[0] + 256U * at[1];
  const int exponent = bits(word, 10, 5), fraction = bits(word, 0, 10);
  const double sign = bits(word, 15, 1) == 1 ? -1 : 1;
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

int signed_byte(unsigned char x) { return x < 128 ? x : x - 256; }

// A nibble of 16 bytes that hold 32: the first half in the low bits.
int nibble(block codes, int i) { return bits(codes[i % 16], i < 16 ? 0 : 4, 4); }

double q4_0(block at, int i) { return half(at) * (nibble(at + 2, i) - 8); }
double q4_1(block at, int i) { return half(at) * nibble(at + 4, i) + half(at + 2); }

// Bit i of the four bytes is the fifth bit of element i.
int five_bits(block high, block codes, int i) { return nibble(codes, i) + 16 * bits(high[i / 8], i % 8, 1); }

double q5_0(block at, int i) { return half(at) * (five_bits(at + 2, at + 6, i) - 16); }
double q5_1(block at, int i) { return half(at) * five_bits(at + 4, at + 8, i) + half(at + 2); }
double q8_0(block at, int i) { return half(at) * signed_byte(at[2 + i]); }

// Sixteen 6-bit numbers in 12 bytes: scales 0-3 are the low bits of bytes 0-3, minimums 0-3 those of bytes
// 4-7; of the other four, the low nibbles (scales) and high nibbles (minimums) of bytes 8-11 are the low
// bits, and the top pairs of bytes 0-3 (scales) and 4-7 (minimums) the high ones.
int k_scale(block packed, int j) {
  return j < 4 ? bits(packed[j], 0, 6) : bits(packed[j + 4], 0, 4) + 16 * bits(packed[j - 4], 6, 2);
}
int k_minimum(block packed, int j) {
  return j < 4 ? bits(packed[j + 4], 0, 6) : bits(packed[j + 4], 4, 4) + 16 * bits(packed[j], 6, 2);
}

// Each 32 bytes hold 64 codes: 32 in the low, then 32 in the high nibbles.
int k_nibble(block codes, int i) { return bits(codes[i / 64 * 32 + i % 32], i % 64 < 32 ? 0 : 4, 4); }

double k_value(block at, int i, int code) {
  const int j = i / 32;
  return half(at) * k_scale(at + 4, j) * code - half(at + 2) * k_minimum(at + 4, j);
}

double q4_k(block at, int i) { return k_value(at, i, k_nibble(at + 16, i)); }
double q5_k(block at, int i) {
  return k_value(at, i, k_nibble(at + 48, i) + 16 * bits(at[16 + i % 32], i / 32, 1));
}

// Low nibbles: each 64 bytes hold 128 codes, the first 64 in the low bits. High pairs: each 32 bytes hold
// 128.
double q6_k(block at, int i) {
  const int low = bits(at[i / 128 * 64 + i % 64], i % 128 < 64 ? 0 : 4, 4);
  const int high = bits(at[128 + i / 128 * 32 + i % 32], i % 128 / 32 * 2, 2);
  return half(at + 208) * signed_byte(at[192 + i / 16]) * (low + 16 * high - 32);
}

double f16(block at, int) { return half(at); }
double bf16(block at, int) { return static_cast<double>(std::bit_cast<float>((at[0] + 256U * at[1]) << 16)); }
double f32(block at, int) {
  return static_cast<double>(std::bit_cast<float>(at[0] + 256U * at[1] + 65536U * at[2] + 16777216U * at[3]));
}

struct format {
  tensor_type type;
  const char* name;
  int elements;
  int bytes;
  double (*value)(block, int);
  std::vector<int> halves;  // where a block has half-precision numbers

  friend void PrintTo(const format& x, std::ostream* out) { *out << x.name; }
};

const std::vector<format> formats{
    {tensor_type::f32, "F32", 1, 4, f32, {}},
    {tensor_type::f16, "F16", 1, 2, f16, {0}},
    {tensor_type::bf16, "BF16", 1, 2, bf16, {}},
    {tensor_type::q4_0, "Q4_0", 32, 18, q4_0, {0}},
    {tensor_type::q4_1, "Q4_1", 32, 20, q4_1, {0, 2}},
    {tensor_type::q5_0, "Q5_0", 32, 22, q5_0, {0}},
    {tensor_type::q5_1, "Q5_1", 32, 24, q5_1, {0, 2}},
    {tensor_type::q8_0, "Q8_0", 32, 34, q8_0, {0}},
    {tensor_type::q4_k, "Q4_K", 256, 144, q4_k, {0, 2}},
    {tensor_type::q5_k, "Q5_K", 256, 176, q5_k, {0, 2}},
    {tensor_type::q6_k, "Q6_K", 256, 210, q6_k, {208}},
};

class tensor_type_test : public testing::TestWithParam<format> {
 protected:
  std::size_t elements() const { return static_cast<std::size_t>(GetParam().elements); }
  std::size_t bytes() const { return static_cast<std::size_t>(GetParam().bytes); }

  // Random blocks; their half-precision numbers finite.
  std::vector<unsigned char> random_blocks(std::size_t count) {
    std::vector<unsigned char> all(count * bytes());
    for (auto& x : all) x = static_cast<unsigned char>(random_());
    for (std::size_t i = 0; i < count; ++i)
      for (const int at : GetParam().halves)
        while (!std::isfinite(half(&all[i * bytes() + static_cast<std::size_t>(at)])))
          all[i * bytes() + static_cast<std::size_t>(at) + 1] = static_cast<unsigned char>(random_());
    return all;
  }

  double expected(const unsigned char* blocks, std::size_t i) const {
    return GetParam().value(blocks + i / elements() * bytes(), static_cast<int>(i % elements()));
  }

  std::mt19937 random_{42};
};

TEST_P(tensor_type_test, traits) {
  const auto& each = GetParam();
  EXPECT_EQ(traits(each.type).name, each.name);
  EXPECT_EQ(traits(each.type).block_elements, elements());
  EXPECT_EQ(traits(each.type).block_bytes, bytes());
  const auto found = find_traits(static_cast<std::uint32_t>(each.type));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, each.name);
  EXPECT_EQ(row_bytes(each.type, 0), 0U);
  EXPECT_EQ(row_bytes(each.type, 7 * elements()), 7 * bytes());
}

TEST_P(tensor_type_test, values_are_the_definitions) {
  constexpr std::size_t count = 300;
  const auto blocks = random_blocks(count);
  std::vector<float> values(count * elements());
  dequantize_row(GetParam().type, blocks.data(), values.size(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = expected(blocks.data(), i);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
      continue;
    }
    // Rounding of two products and a sum whose parts are at most 65504 * 63 * 31.
    const double part =
        elements() == 1
            ? 0
            : std::abs(wanted) + std::abs(half(blocks.data() + i / elements() * bytes() +
                                               static_cast<std::size_t>(GetParam().halves.back()))) *
                                     63;
    if (std::isinf(wanted)) {
      EXPECT_EQ(static_cast<double>(values[i]), wanted) << i;
    } else {
      ASSERT_NEAR(static_cast<double>(values[i]), wanted, 4e-7 * part) << i;
    }
  }
}

TEST_P(tensor_type_test, any_alignment_gives_the_same_values) {
  constexpr std::size_t count = 5;
  const auto blocks = random_blocks(count);
  std::vector<float> aligned(count * elements()), moved(count * elements());
  dequantize_row(GetParam().type, blocks.data(), aligned.size(), aligned.data());
  for (std::size_t shift = 1; shift < 16; ++shift) {
    std::vector<unsigned char> buffer(shift + blocks.size());
    std::memcpy(buffer.data() + shift, blocks.data(), blocks.size());
    dequantize_row(GetParam().type, buffer.data() + shift, moved.size(), moved.data());
    ASSERT_EQ(std::memcmp(moved.data(), aligned.data(), aligned.size() * sizeof(float)), 0) << shift;
  }
}

TEST_P(tensor_type_test, writes_the_row_and_no_more) {
  const auto blocks = random_blocks(3);
  std::vector<float> values(3 * elements() + 1, -77.0F);
  dequantize_row(GetParam().type, blocks.data(), 2 * elements(), values.data());
  for (std::size_t i = 2 * elements(); i < values.size(); ++i) EXPECT_EQ(values[i], -77.0F);
  dequantize_row(GetParam().type, blocks.data(), 0, values.data() + 2 * elements());
  EXPECT_EQ(values[2 * elements()], -77.0F);
}

INSTANTIATE_TEST_SUITE_P(formats, tensor_type_test, testing::ValuesIn(formats),
                         [](const auto& each) { return each.param.name; });

TEST(tensor_type, knows_no_other_numbers) {
  int known = 0;
  for (std::uint32_t number = 0; number < 1000; ++number)
    if (find_traits(number)) ++known;
  EXPECT_EQ(known, 11);
  for (const std::uint32_t number : {4U, 5U, 9U, 10U, 11U, 15U, 16U, 24U, 31U, 39U, 0xFFFFFFFFU})
    EXPECT_FALSE(find_traits(number)) << number;
}

TEST(tensor_type, all_half_precision_numbers) {
  for (unsigned word = 0; word < 65536; ++word) {
    const unsigned char raw[2] = {static_cast<unsigned char>(word), static_cast<unsigned char>(word >> 8)};
    float value = 0;
    dequantize_row(tensor_type::f16, raw, 1, &value);
    const double wanted = half(raw);
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(value)) << word;
    else
      ASSERT_EQ(static_cast<double>(value), wanted) << word;
  }
}

// By hand: scale 2, codes 0..15 in the low nibbles and 15..0 in the high ones.
TEST(tensor_type, a_block_computed_by_hand) {
  unsigned char raw[18] = {0x00, 0x40};
  for (unsigned i = 0; i < 16; ++i) raw[2 + i] = static_cast<unsigned char>(i | (15 - i) << 4);
  float values[32];
  dequantize_row(tensor_type::q4_0, raw, 32, values);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(2 * i - 16));
    EXPECT_EQ(values[16 + i], static_cast<float>(14 - 2 * i));
  }
}

}  // namespace
}  // namespace neap::kernels
