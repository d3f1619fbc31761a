// Paged attention of every ISA against double precision, and its independence of batch and placement.

#include "tests/kernels/attention_world.hpp"

#include <algorithm>

namespace neap::kernels::test {
namespace {

struct attention_shape {
  std::uint32_t heads, kv_heads, head_size;
};
constexpr attention_shape shapes[] = {{9, 3, 64}, {4, 1, 256}, {6, 6, 80}, {14, 2, 128}, {16, 1, 16}};

class attention : public kernel_test {};
NEAP_FOR_EACH_ISA(attention);

void expect_reference(const kernel_table& kernels, const attention_shape& s, kv_type type,
                      std::vector<attention_span> spans) {
  const attention_world world(kernels, {s.heads, s.kv_heads, s.head_size, type}, 150, 1);
  const std::vector<float> out = world.run(spans, world.table());
  const std::size_t width = std::size_t{s.heads} * s.head_size;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::vector<double> expected = world.expected(spans[i]);
    for (std::size_t j = 0; j < width; ++j)
      ASSERT_NEAR(out[i * width + j], expected[j], 2e-5)
          << "heads " << s.heads << " position " << spans[i].position << " at " << j;
  }
}

TEST_P(attention, equals_double_precision) {
  for (const attention_shape& s : shapes)
    for (const kv_type type : {kv_type::f32, kv_type::f16})
      expect_reference(kernels(), s, type, {{0, 0}, {0, 1}, {0, 15}, {0, 16}, {0, 17}, {0, 63}, {0, 149}});
}

TEST_P(attention, equals_double_precision_in_a_sliding_window) {
  for (const attention_shape& s : shapes)
    for (const kv_type type : {kv_type::f32, kv_type::f16})
      expect_reference(kernels(), s, type,
                       {{5, 5}, {5, 20}, {6, 21}, {15, 16}, {16, 31}, {17, 100}, {149, 149}, {100, 149}});
}

std::vector<attention_span> causal_spans(std::uint32_t begin, std::uint32_t end, std::uint32_t window) {
  std::vector<attention_span> spans;
  for (std::uint32_t p = begin; p < end; ++p) spans.push_back({p + 1 > window ? p + 1 - window : 0, p});
  return spans;
}

// Every row alone, then in calls of 2, 7 and all rows: the same bits.
TEST_P(attention, rows_do_not_depend_on_the_batch) {
  for (const attention_shape& s : shapes)
    for (const std::uint32_t window : {1000U, 37U}) {
      const attention_world world(kernels(), {s.heads, s.kv_heads, s.head_size, kv_type::f16}, 100, 2);
      const std::vector<attention_span> spans = causal_spans(0, 100, window);
      std::vector<float> whole = world.run(spans, world.table());
      const std::size_t width = std::size_t{s.heads} * s.head_size;
      for (const std::size_t step : {1U, 2U, 7U})
        for (std::size_t at = 0; at < spans.size(); at += step) {
          const std::size_t count = std::min(step, spans.size() - at);
          const auto from = spans.begin() + static_cast<std::ptrdiff_t>(at);
          const std::vector<float> part =
              world.run({from, from + static_cast<std::ptrdiff_t>(count)}, world.table());
          ASSERT_TRUE(same_bits(part.data(), whole.data() + at * width, part.size())) << at << " by " << step;
        }
    }
}

TEST_P(attention, does_not_depend_on_where_blocks_lie) {
  const attention_world world(kernels(), {9, 3, 64, kv_type::f16}, 100, 3);
  const std::vector<attention_span> spans = causal_spans(40, 100, 50);
  const std::vector<float> first = world.run(spans, world.table());
  const std::vector<float> second = world.run(spans, world.second_table());
  EXPECT_NE(world.table(), world.second_table());
  EXPECT_TRUE(same_bits(first.data(), second.data(), first.size()));
}

// One KV head at a time gives the bits of all at once.
TEST_P(attention, heads_may_be_split_between_callers) {
  const attention_world world(kernels(), {9, 3, 64, kv_type::f32}, 60, 4);
  const std::vector<attention_span> spans = causal_spans(20, 60, 1000);
  const std::vector<float> whole = world.run(spans, world.table());
  std::vector<float> parts(whole.size());
  for (std::uint32_t head = 0; head < 3; ++head) world.run_heads(spans, world.table(), head, head + 1, parts);
  EXPECT_TRUE(same_bits(whole.data(), parts.data(), whole.size()));
}

// Slots no query may see hold NaN and infinity: not one bit may change.
TEST_P(attention, ignores_what_masked_slots_hold) {
  for (const kv_type type : {kv_type::f32, kv_type::f16})
    for (const std::uint32_t head_size : {64U, 80U}) {
      const kv_shape shape{4, 2, head_size, type};
      attention_world world(kernels(), shape, 64, 5);
      const std::vector<attention_span> spans = causal_spans(21, 27, 9);  // positions 13..26
      const std::vector<float> clean = world.run(spans, world.table());
      for (std::uint32_t p = 0; p < 64; ++p)
        if (p < 13 || p > 26) world.poison(p);
      const std::vector<float> poisoned = world.run(spans, world.table());
      EXPECT_TRUE(same_bits(clean.data(), poisoned.data(), clean.size()));
    }
}

// A later row of the same call may see a broken value; the earlier ones may not.
TEST_P(attention, a_broken_value_reaches_only_rows_that_see_it) {
  attention_world world(kernels(), {3, 1, 64, kv_type::f32}, 64, 6);
  world.poison(40);
  const std::vector<float> out = world.run(causal_spans(36, 44, 1000), world.table());
  const std::size_t width = 3 * 64;
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t i = 0; i < width; ++i)
      ASSERT_EQ(std::isnan(out[row * width + i]), row >= 4) << row << " " << i;
}

// A position whose weight underflows adds nothing at all, even if its values are huge.
TEST_P(attention, positions_far_below_the_maximum_weigh_exactly_zero) {
  attention_world world(kernels(), {1, 1, 16, kv_type::f32}, 20, 8);
  world.set_position(3, std::vector<float>(16, 0.0F), std::vector<float>(16, 1e30F));
  world.set_position(18, world.query(19), std::vector<float>(16, 5.0F));
  world.scale_queries(1e4F);
  for (const float v : world.run({{0, 19}}, world.table())) EXPECT_EQ(v, 5.0F);
}

TEST_P(attention, survives_huge_scores) {
  attention_world world(kernels(), {2, 1, 64, kv_type::f32}, 40, 7);
  world.scale_queries(1e4F);
  const std::vector<attention_span> spans = {{0, 39}};
  const std::vector<float> out = world.run(spans, world.table());
  const std::vector<double> expected = world.expected(spans[0]);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-2);
}

}  // namespace
}  // namespace neap::kernels::test
