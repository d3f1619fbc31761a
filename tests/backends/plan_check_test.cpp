// Faulty plans are refused as values and change nothing.

#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace neap::test {
namespace {

class plan_check : public testing::Test {
 protected:
  static backend_harness& harness() {
    static backend_harness shared(model_path("smollm2"), {});
    return shared;
  }

  // A plan of one open sequence with three tokens in one block.
  static batch_plan good_plan() {
    batch_plan plan;
    plan.model = harness().model();
    sequence_start start;
    start.sequence = 7;
    plan.starts = {start};
    plan.tokens = {1, 2, 3};
    plan.block_tables = {0};
    plan_row row;
    row.sequence = 7;
    row.token_count = 3;
    row.table_count = 1;
    row.outputs = output_sample;
    plan.rows = {row};
    return plan;
  }

  static void expect_fault(const std::string& part, const std::function<void(batch_plan&)>& spoil) {
    harness().device().reset(harness().model());
    auto plan = good_plan();
    spoil(plan);
    const auto result = harness().device().run(plan);
    ASSERT_FALSE(result) << part;
    EXPECT_EQ(result.error().code, error_code::internal);
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
    EXPECT_TRUE(harness().device().run(good_plan())) << "the faulty plan left something behind: " << part;
  }
};

constexpr auto huge = std::numeric_limits<std::uint32_t>::max();

TEST_F(plan_check, unknown_sequences) {
  expect_fault("row of an unknown", [](auto& plan) { plan.rows[0].sequence = 8; });
  expect_fault("row of an unknown", [](auto& plan) { plan.starts.clear(); });
  expect_fault("end of an unknown", [](auto& plan) { plan.ends = {8}; });
  expect_fault("fork of an unknown", [](auto& plan) { plan.forks = {{8, 9, 0}}; });
}

TEST_F(plan_check, double_sequences) {
  expect_fault("start of an open", [](auto& plan) { plan.starts.push_back(plan.starts[0]); });
  expect_fault("fork to an open", [](auto& plan) { plan.forks = {{7, 7, 0}}; });
  expect_fault("two rows", [](auto& plan) { plan.rows.push_back(plan.rows[0]); });
}

TEST_F(plan_check, tokens) {
  expect_fault("outside the vocabulary", [](auto& plan) { plan.tokens[1] = 49152; });
  expect_fault("outside the vocabulary", [](auto& plan) { plan.tokens[1] = -2; });
  expect_fault("row without tokens", [](auto& plan) { plan.rows[0].token_count = 0; });
  expect_fault("tokens past the plan", [](auto& plan) { plan.rows[0].token_begin = 1; });
  expect_fault("tokens past the plan", [](auto& plan) { plan.rows[0].token_begin = huge; });
  expect_fault("in a longer row", [](auto& plan) { plan.tokens[2] = last_sampled_token; });
  expect_fault("before the first", [](auto& plan) {
    plan.rows[0].token_count = 1;
    plan.tokens[0] = last_sampled_token;
  });
  expect_fault("max_batch_tokens", [](auto& plan) {
    plan.tokens.resize(600, 1);
    plan.rows[0].token_count = 600;
    plan.block_tables.resize(38);
    plan.rows[0].table_count = 38;
  });
}

TEST_F(plan_check, blocks) {
  expect_fault("block table too short", [](auto& plan) { plan.rows[0].first_position = 14; });
  expect_fault("block table too short", [](auto& plan) { plan.rows[0].table_count = 0; });
  expect_fault("block table past", [](auto& plan) { plan.rows[0].table_count = 2; });
  expect_fault("block table past", [](auto& plan) { plan.rows[0].table_begin = huge; });
  expect_fault("block past the pool", [](auto& plan) { plan.block_tables[0] = 256; });
  expect_fault("copy of a block", [](auto& plan) { plan.copies = {{0, 256}}; });
  expect_fault("copy of a block", [](auto& plan) { plan.copies = {{huge, 0}}; });
  expect_fault("past the context", [](auto& plan) { plan.rows[0].first_position = 8190; });
  expect_fault("past the context", [](auto& plan) { plan.rows[0].first_position = huge; });
}

TEST_F(plan_check, adapters_are_refused_until_one_is_loaded) {
  expect_fault("adapter", [](auto& plan) { plan.starts[0].adapter = 0; });
}

TEST_F(plan_check, models_that_are_not_loaded) {
  auto plan = good_plan();
  plan.model = 5;
  EXPECT_FALSE(harness().device().run(plan));
  EXPECT_FALSE(harness().device().reserve_kv(5, 1));
  EXPECT_EQ(harness().device().properties(5).vocabulary, 0U);
}

TEST_F(plan_check, an_empty_plan_is_fine) {
  batch_plan plan;
  plan.model = harness().model();
  plan.step = 3;
  const auto result = harness().device().run(plan);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->step, 3U);
}

TEST_F(plan_check, an_id_may_end_and_start_again_in_one_plan) {
  harness().device().reset(harness().model());
  EXPECT_TRUE(harness().device().run(good_plan()));
  auto plan = good_plan();
  plan.ends = {7};
  EXPECT_TRUE(harness().device().run(plan));
}

}  // namespace
}  // namespace neap::test
