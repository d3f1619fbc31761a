#include "engine/decode/philox.hpp"

#include <gtest/gtest.h>

namespace neap::decode {
namespace {

// Known answers published with the generator (Random123, kat_vectors).
TEST(philox, known_answers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (philox_block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (philox_block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (philox_block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(philox, uniform_numbers_have_the_right_mean_and_variance) {
  double sum = 0;
  double squares = 0;
  constexpr int count = 100000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = philox_uniform(42, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.005);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.005);
}

TEST(philox, seeds_indices_and_streams_differ) {
  EXPECT_NE(philox_uniform(1, 0), philox_uniform(2, 0));
  EXPECT_NE(philox_uniform(1, 0), philox_uniform(1, 1));
  EXPECT_NE(philox_uniform(1, 0), philox_uniform(std::uint64_t{1} << 32 | 1, 0));
  EXPECT_NE(philox_uniform(1, 0), philox_uniform(1, std::uint64_t{1} << 32));
  EXPECT_NE(philox_uniform(1, 0), philox_uniform(1, 0, 1));
}

}  // namespace
}  // namespace neap::decode
