#include "engine/memory/block_table.hpp"

#include "kernels/kernel_table.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace neap::memory {
namespace {

static_assert(block_tokens == kernels::kv_block_tokens);

class tables : public ::testing::Test {
 protected:
  tables() {
    std::vector<block_id> blocks(8);
    std::iota(blocks.begin(), blocks.end(), 0U);
    lease.grant(blocks);
  }

  void drop(block_table& table) {
    for (const auto block : table.clear()) lease.drop(block);
  }

  block_lease lease;
};

TEST_F(tables, take_a_block_at_each_block_border) {
  block_table table;
  for (const auto& [length, blocks] :
       {std::pair{1U, 1U}, {15U, 1U}, {16U, 1U}, {17U, 2U}, {32U, 2U}, {33U, 3U}}) {
    ASSERT_TRUE(table.can_append(length, lease));
    table.append(length, lease);
    EXPECT_EQ(table.blocks().size(), blocks) << length;
  }
  EXPECT_EQ(lease.free_blocks(), 5U);
  drop(table);
  EXPECT_EQ(lease.used_blocks(), 0U);
}

TEST_F(tables, say_no_before_the_lease_is_empty) {
  block_table table;
  EXPECT_TRUE(table.can_append(128, lease));
  EXPECT_FALSE(table.can_append(129, lease));
  EXPECT_FALSE(table.can_append(1ULL << 40U, lease));
  EXPECT_EQ(table.missing_blocks(129), 9U);
}

TEST_F(tables, fork_shares_and_copies_on_write) {
  block_table parent;
  parent.append(20, lease);
  auto child = parent.fork(lease);
  EXPECT_EQ(lease.used_blocks(), 2U);
  const auto shared = parent.blocks()[1];
  const auto copy = child.make_writable(20, lease);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->from, shared);
  EXPECT_EQ(copy->to, child.blocks()[1]);
  EXPECT_NE(copy->to, shared);
  EXPECT_FALSE(parent.make_writable(20, lease)) << "the last owner writes in place";
  EXPECT_EQ(lease.references(parent.blocks()[0]), 2U);
  drop(parent);
  EXPECT_EQ(lease.used_blocks(), 2U) << "the child keeps the shared block";
  drop(child);
  EXPECT_EQ(lease.used_blocks(), 0U);
}

TEST_F(tables, move_leaves_nothing_behind) {
  block_table table;
  table.append(40, lease);
  block_table moved{std::move(table)};
  EXPECT_EQ(moved.blocks().size(), 3U);
  drop(moved);
  EXPECT_EQ(lease.free_blocks(), 8U);
}

}  // namespace
}  // namespace neap::memory
