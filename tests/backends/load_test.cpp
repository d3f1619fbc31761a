// What loading gives and costs.

#include "backends/backend_factory.hpp"
#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace neap::test {
namespace {

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6)) * 1024;
  return 0;
}

TEST(load, properties_describe_the_model) {
  backend_harness harness(model_path("smollm2"), {});
  const auto device = harness.device().device();
  EXPECT_EQ(device.kind, "cpu");
  EXPECT_EQ(device.threads, 2U);
  EXPECT_FALSE(device.instructions.empty());
  EXPECT_GT(device.memory_bytes, 0U);
  const auto properties = harness.device().properties(harness.model());
  EXPECT_EQ(properties.vocabulary, 49152U);
  EXPECT_EQ(properties.hidden, 576U);
  EXPECT_EQ(properties.layers, 30U);
  EXPECT_EQ(properties.context_length, 8192U);
  EXPECT_EQ(properties.kv_blocks, 256U);
  EXPECT_EQ(properties.kv_block_bytes, 30U * 2 * 16 * 3 * 64 * 2);
  EXPECT_GT(properties.weight_bytes, 80U << 20);
  EXPECT_GT(properties.arena_bytes, 0U);
}

TEST(load, progress_rises_to_one) {
  auto opened = model::open_model(model_path("smollm2"));
  ASSERT_TRUE(opened);
  auto device = backend::make_cpu_backend({2, 0});
  ASSERT_TRUE(device);
  backend::load_options options;
  options.model = std::make_shared<const model::model_file>(std::move(*opened));
  std::vector<double> shares;
  options.progress = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE((*device)->load(options));
  ASSERT_GT(shares.size(), 5U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0.0);
  EXPECT_EQ(shares.back(), 1.0);
}

TEST(load, resident_memory_stays_near_the_packed_weights) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory would be counted";
#endif
  const auto before = resident_bytes();
  harness_options options;
  options.blocks = 4096;  // 1.4 GiB of address space that nobody touches
  backend_harness harness(model_path("smollm2"), options);
  const auto weights = harness.device().properties(harness.model()).weight_bytes;
  EXPECT_LT(resident_bytes() - before, std::max<std::size_t>(weights, 98362432) + (40U << 20));
}

TEST(load, two_models_live_side_by_side_and_can_go) {
  auto opened = model::open_model(model_path("smollm2"));
  ASSERT_TRUE(opened);
  const auto file = std::make_shared<const model::model_file>(std::move(*opened));
  auto device = backend::make_cpu_backend({2, 0});
  ASSERT_TRUE(device);
  backend::load_options options;
  options.model = file;
  const auto first = (*device)->load(options);
  const auto second = (*device)->load(options);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  (*device)->unload(*first);
  EXPECT_EQ((*device)->properties(*first).vocabulary, 0U);
  EXPECT_EQ((*device)->properties(*second).vocabulary, 49152U);
}

TEST(load, absurd_kv_pools_are_refused) {
  backend_harness harness(model_path("smollm2"), {});
  const auto refused = harness.device().reserve_kv(harness.model(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, error_code::out_of_memory);
  EXPECT_FALSE(harness.device().reserve_kv(harness.model(), 0xFFFFFFFF));
}

}  // namespace
}  // namespace neap::test
