#include "backends/cpu/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace neap::backend::cpu {
namespace {

class worker_pool_test : public testing::TestWithParam<std::uint32_t> {};

TEST_P(worker_pool_test, runs_every_rank_once) {
  worker_pool pool(GetParam(), 0);
  std::vector<int> calls(GetParam(), 0);
  for (int job = 0; job < 100; ++job) pool.run([&](std::uint32_t rank) { ++calls[rank]; });
  EXPECT_EQ(calls, std::vector<int>(GetParam(), 100));
}

TEST_P(worker_pool_test, covers_each_range_exactly_once_and_in_phases) {
  worker_pool pool(GetParam(), 0);
  for (const std::size_t count : {0, 1, 7, 64, 1000})
    for (const std::size_t grain : {1, 3, 5000}) {
      // Plain ints: the barrier must order the phases, or the sanitizer and the sums complain.
      std::vector<int> values(count, 0);
      std::vector<int> mirrored(count, 0);
      pool.run([&](std::uint32_t) {
        pool.for_range(count, grain, [&](std::size_t begin, std::size_t end) {
          for (auto i = begin; i < end; ++i) values[i] += static_cast<int>(i) + 1;
        });
        pool.for_range(count, grain, [&](std::size_t begin, std::size_t end) {
          for (auto i = begin; i < end; ++i) mirrored[i] = values[count - 1 - i];
        });
      });
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(values[i], static_cast<int>(i) + 1);
        ASSERT_EQ(mirrored[i], static_cast<int>(count - i));
      }
    }
}

TEST_P(worker_pool_test, works_after_its_threads_slept) {
  worker_pool pool(GetParam(), 0);
  std::atomic<int> calls{0};
  for (int job = 0; job < 3; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // past the spinning
    pool.run([&](std::uint32_t rank) {
      if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      pool.barrier();
      ++calls;
    });
  }
  EXPECT_EQ(calls.load(), static_cast<int>(3 * GetParam()));
}

TEST_P(worker_pool_test, ends_at_once_without_a_job) { const worker_pool pool(GetParam(), 5); }

INSTANTIATE_TEST_SUITE_P(threads, worker_pool_test, testing::Values(1U, 2U, 3U, 8U));

TEST(worker_pool, distinct_threads) {
  worker_pool pool(4, 0);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  pool.run([&](std::uint32_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 4U);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

}  // namespace
}  // namespace neap::backend::cpu
