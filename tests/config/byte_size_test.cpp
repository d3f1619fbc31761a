#include "config/byte_size.hpp"

#include <gtest/gtest.h>

namespace neap::config {
namespace {

TEST(byte_size, right) {
  EXPECT_EQ(parse_byte_size("0"), 0U);
  EXPECT_EQ(parse_byte_size("4096"), 4096U);
  EXPECT_EQ(parse_byte_size("64K"), 65536U);
  EXPECT_EQ(parse_byte_size("512m"), 536870912U);
  EXPECT_EQ(parse_byte_size("8GiB"), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_byte_size("1gb"), std::uint64_t{1} << 30);
}

TEST(byte_size, wrong) {
  for (const auto* text : {"", "G", "-1", "1.5G", "1T", "1 G", "0x10", "99999999999999999999",
                           "9223372036854775808", "17179869184G", "1iB G"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

}  // namespace
}  // namespace neap::config
