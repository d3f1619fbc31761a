#include "engine/memory/memory_zones.hpp"

#include <gtest/gtest.h>

namespace neap::memory {
namespace {

zone_request request() { return {100, 10, 1000, 0, 4'000'000, 8, 160}; }

TEST(memory_zones, take_what_all_sequences_need_at_most) {
  const auto zones = plan_zones(request());
  EXPECT_EQ(zones.kv_blocks, 80U);
  EXPECT_EQ(zones.kv_bytes, 80'000U);
  EXPECT_EQ(zones.total_bytes(), 80'110U);
}

TEST(memory_zones, take_a_quarter_of_memory_at_most) {
  auto small = request();
  small.memory_bytes = 40'000;
  EXPECT_EQ(plan_zones(small).kv_blocks, 10U);
}

TEST(memory_zones, take_what_the_operator_says) {
  auto fixed = request();
  fixed.kv_max_bytes = 123'456;
  EXPECT_EQ(plan_zones(fixed).kv_blocks, 123U);
}

TEST(memory_zones, say_zero_where_not_one_block_fits) {
  auto tiny = request();
  tiny.kv_max_bytes = 999;
  EXPECT_EQ(plan_zones(tiny).kv_blocks, 0U);
  EXPECT_EQ(plan_zones(tiny).emergency_blocks, 0U);
}

TEST(memory_zones, keep_at_most_a_tenth_for_emergencies) {
  for (std::size_t blocks = 1; blocks < 300; ++blocks) {
    auto fixed = request();
    fixed.kv_max_bytes = blocks * fixed.kv_block_bytes;
    const auto zones = plan_zones(fixed);
    ASSERT_LE(10 * zones.emergency_blocks, zones.kv_blocks) << blocks;
  }
}

TEST(memory_zones, do_not_overflow_on_absurd_sizes) {
  auto huge = request();
  huge.context_length = 4'294'967'295U;
  huge.max_sequences = 4'294'967'295U;
  huge.kv_block_bytes = 1;
  huge.memory_bytes = static_cast<std::size_t>(1) << 60U;
  EXPECT_EQ(plan_zones(huge).kv_blocks, 2'147'483'647U);
}

}  // namespace
}  // namespace neap::memory
