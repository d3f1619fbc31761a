#include "backends/cpu/core_count.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace neap::backend::cpu {
namespace {

TEST(core_count, quota_is_rounded_up) {
  EXPECT_EQ(quota_cores("200000 100000"), 2U);
  EXPECT_EQ(quota_cores("150000 100000"), 2U);
  EXPECT_EQ(quota_cores("50000 100000"), 1U);
}

TEST(core_count, no_quota_or_nonsense_is_no_limit) {
  EXPECT_EQ(quota_cores("max 100000"), 0U);
  EXPECT_EQ(quota_cores(""), 0U);
  EXPECT_EQ(quota_cores("-1 100000"), 0U);
  EXPECT_EQ(quota_cores("100000 0"), 0U);
}

TEST(core_count, is_positive_and_at_most_the_machine) {
  EXPECT_GE(available_cores(), 1U);
  EXPECT_LE(available_cores(), std::max(std::thread::hardware_concurrency(), 1U));
}

}  // namespace
}  // namespace neap::backend::cpu
