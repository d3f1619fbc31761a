// Pool and lease: nothing is lost, nothing is owned twice.

#include "engine/memory/block_lease.hpp"
#include "engine/memory/block_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace neap::memory {
namespace {

TEST(block_pool, hands_out_low_blocks_first) {
  block_pool pool{4, 16, 4};
  EXPECT_EQ(pool.lease(3), (std::vector<block_id>{0, 1, 2}));
  EXPECT_EQ(pool.committed_blocks(), 4U);
}

TEST(block_pool, grows_up_to_its_maximum_and_no_further) {
  block_pool pool{4, 10, 4};
  EXPECT_EQ(pool.lease(6).size(), 6U);
  EXPECT_EQ(pool.committed_blocks(), 8U);
  EXPECT_EQ(pool.lease(100).size(), 4U);
  EXPECT_EQ(pool.committed_blocks(), 10U);
  EXPECT_TRUE(pool.lease(1).empty());
  EXPECT_TRUE(pool.consistent());
}

TEST(block_pool, grows_past_what_is_asked_only_by_whole_steps) {
  block_pool pool{0, 100, 10};
  EXPECT_EQ(pool.lease(1).size(), 1U);
  EXPECT_EQ(pool.committed_blocks(), 10U);
  EXPECT_EQ(pool.free_blocks(), 9U);
}

TEST(block_pool, refuses_a_release_of_blocks_that_are_not_leased) {
  block_pool pool{8, 8, 1};
  const auto mine = pool.lease(2);
  for (const auto& wrong : {std::vector<block_id>{mine[0], 7}, {mine[0], 99}, {mine[0], mine[0]}}) {
    EXPECT_FALSE(pool.release(wrong));
    EXPECT_EQ(pool.leased_blocks(), 2U);
    EXPECT_TRUE(pool.consistent());
  }
  EXPECT_TRUE(pool.release(mine));
  EXPECT_EQ(pool.free_blocks(), 8U);
}

TEST(block_pool, compaction_orders_free_blocks_and_shrinks) {
  block_pool pool{0, 64, 16};
  auto all = pool.lease(64);
  std::shuffle(all.begin(), all.end(), std::mt19937{5});
  ASSERT_TRUE(pool.release(all));
  EXPECT_GT(pool.fragmentation(), 0.5);
  EXPECT_EQ(pool.compact(), 64U);
  EXPECT_EQ(pool.committed_blocks(), 0U);
  EXPECT_EQ(pool.fragmentation(), 0.0);
  EXPECT_EQ(pool.lease(3), (std::vector<block_id>{0, 1, 2}));
}

TEST(block_pool, compaction_keeps_leased_blocks) {
  block_pool pool{8, 8, 1};
  const auto blocks = pool.lease(8);
  ASSERT_TRUE(pool.release(std::vector<block_id>{1, 6, 7}));
  EXPECT_EQ(pool.compact(), 2U);
  EXPECT_EQ(pool.committed_blocks(), 6U);
  EXPECT_EQ(pool.lease(1), (std::vector<block_id>{1}));
}

TEST(block_lease, counts_references_and_gives_up_only_free_blocks) {
  block_lease lease;
  lease.grant(std::vector<block_id>{4, 2, 9});
  const auto block = lease.take();
  ASSERT_EQ(block, 4U);
  lease.share(*block);
  EXPECT_EQ(lease.references(4), 2U);
  lease.drop(4);
  EXPECT_EQ(lease.used_blocks(), 1U);
  EXPECT_EQ(lease.return_surplus(1), (std::vector<block_id>{9}));
  EXPECT_EQ(lease.held_blocks(), 2U);
  lease.drop(4);
  EXPECT_EQ(lease.used_blocks(), 0U);
  auto rest = lease.return_surplus(0);
  std::sort(rest.begin(), rest.end());
  EXPECT_EQ(rest, (std::vector<block_id>{2, 4}));
  EXPECT_EQ(lease.take(), std::nullopt);
}

// One lease holder that keeps its own list of references.
struct holder {
  block_lease lease;
  std::vector<block_id> references;

  void take() {
    if (const auto block = lease.take()) references.push_back(*block);
  }
  void share(std::size_t at) {
    lease.share(references[at]);
    references.push_back(references[at]);
  }
  void drop(std::size_t at) {
    lease.drop(references[at]);
    references.erase(references.begin() + static_cast<std::ptrdiff_t>(at));
  }
  bool counted() const {
    return lease.consistent() && std::all_of(references.begin(), references.end(), [this](block_id block) {
             return lease.references(block) == std::count(references.begin(), references.end(), block);
           });
  }
};

// Invariant 1: free + used = total after every event, no block owned twice.
class random_accounting : public ::testing::TestWithParam<unsigned> {};

TEST_P(random_accounting, holds_after_every_event) {
  std::mt19937 random{GetParam()};
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::uint32_t>{0, static_cast<std::uint32_t>(n - 1)}(random);
  };
  block_pool pool{below(20), 60, 1 + below(10)};
  holder holders[2];
  for (int event = 0; event < 2000; ++event) {
    auto& mine = holders[below(2)];
    const auto action = below(7);
    if (action == 0) mine.lease.grant(pool.lease(below(12)));
    if (action == 1) {
      ASSERT_TRUE(pool.release(mine.lease.return_surplus(below(8))));
    }
    if (action == 2 || action == 3) mine.take();
    if (action == 4 && !mine.references.empty()) mine.share(below(mine.references.size()));
    if (action == 5 && !mine.references.empty()) mine.drop(below(mine.references.size()));
    if (action == 6 && event % 50 == 0) pool.compact();
    ASSERT_TRUE(pool.consistent() && mine.counted()) << "event " << event;
    ASSERT_EQ(holders[0].lease.held_blocks() + holders[1].lease.held_blocks(), pool.leased_blocks());
    for (const auto block : holders[0].references) ASSERT_EQ(holders[1].lease.references(block), 0U);
  }
  for (auto& each : holders) {
    while (!each.references.empty()) each.drop(0);
    ASSERT_TRUE(pool.release(each.lease.return_surplus(0)));
  }
  EXPECT_EQ(pool.leased_blocks(), 0U);
  EXPECT_EQ(pool.free_blocks(), pool.committed_blocks());
}

INSTANTIATE_TEST_SUITE_P(seeds, random_accounting, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace neap::memory
