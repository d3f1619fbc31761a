// RMSNorm against a reference in double, at sizes that are no multiple of anything.

#include "kernels/cuda/rms_norm.hpp"

#include "kernels/cuda/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace neap::kernels::cuda {
namespace {

using cuda_emul::thread_order;

struct norm_case {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<__half> x;
  std::vector<float> weight;
};

norm_case random_case(std::uint32_t rows, std::uint32_t columns) {
  norm_case made{rows, columns, {}, {}};
  std::mt19937 random(rows * 7919 + columns);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < std::size_t{rows} * columns; ++i)
    made.x.push_back(__float2half(3.0F * normal(random)));
  for (std::uint32_t i = 0; i < columns; ++i) made.weight.push_back(1.0F + 0.3F * normal(random));
  return made;
}

// `skew` halves of offset from a 16-byte boundary; the halves around the result must stay untouched.
std::vector<__half> run(const norm_case& c, float epsilon, std::size_t skew = 0) {
  constexpr std::size_t margin = 16;
  const __half untouched = __float2half(-777.0F);
  std::vector<__half> in(c.x.size() + 2 * margin, untouched);
  std::vector<__half> out(c.x.size() + 2 * margin, untouched);
  std::copy(c.x.begin(), c.x.end(), in.begin() + static_cast<std::ptrdiff_t>(skew));
  const auto status =
      rms_norm(in.data() + skew, c.weight.data(), c.rows, c.columns, epsilon, out.data() + skew, nullptr);
  EXPECT_EQ(status, cudaSuccess) << cuda_emul::last_report();
  for (std::size_t i = 0; i < skew; ++i) EXPECT_EQ(__half2float(out[i]), -777.0F);
  for (std::size_t i = skew + c.x.size(); i < out.size(); ++i) EXPECT_EQ(__half2float(out[i]), -777.0F);
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(skew);
  return {first, first + static_cast<std::ptrdiff_t>(c.x.size())};
}

bool same_bits(const std::vector<__half>& a, const std::vector<__half>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(__half)) == 0;
}

void expect_near_reference(const norm_case& c, const std::vector<__half>& out, double epsilon) {
  for (std::size_t r = 0; r < c.rows; ++r) {
    double sum = 0.0;
    for (std::size_t i = 0; i < c.columns; ++i) {
      const double value = static_cast<double>(__half2float(c.x[r * c.columns + i]));
      sum += value * value;
    }
    const double factor = 1.0 / std::sqrt(sum / c.columns + epsilon);
    for (std::size_t i = 0; i < c.columns; ++i) {
      const auto at = r * c.columns + i;
      const double expected = static_cast<double>(__half2float(c.x[at])) * factor * double{c.weight[i]};
      // Half a unit of the 11-bit mantissa, and a little for the float arithmetic before.
      ASSERT_NEAR(static_cast<double>(__half2float(out[at])), expected, std::abs(expected) * 5.0e-4 + 1.0e-7)
          << "row " << r << " of " << c.rows << ", column " << i << " of " << c.columns;
    }
  }
}

class cuda_rms_norm : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override { cuda_emul::set_thread_order(thread_order::forward); }
};

TEST_P(cuda_rms_norm, agrees_with_double_arithmetic) {
  for (const std::uint32_t rows : {1U, 3U}) {
    const auto c = random_case(rows, GetParam());
    expect_near_reference(c, run(c, 1.0e-5F), 1.0e-5);
  }
}

TEST_P(cuda_rms_norm, gives_the_same_bits_in_every_thread_order_and_alignment) {
  const auto c = random_case(2, GetParam());
  const auto expected = run(c, 1.0e-6F);
  cuda_emul::set_thread_order(thread_order::reverse);
  EXPECT_TRUE(same_bits(run(c, 1.0e-6F), expected));
  for (const std::uint64_t seed : {1U, 2U}) {
    cuda_emul::set_thread_order(thread_order::random, seed);
    EXPECT_TRUE(same_bits(run(c, 1.0e-6F), expected));
  }
  EXPECT_TRUE(same_bits(run(c, 1.0e-6F, 1), expected));
  EXPECT_TRUE(same_bits(run(c, 1.0e-6F, 8), expected));
}

TEST_P(cuda_rms_norm, gives_a_row_the_same_bits_in_any_batch) {
  const auto columns = GetParam();
  const auto batch = random_case(5, columns);
  const auto together = run(batch, 1.0e-5F);
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    const auto first = static_cast<std::ptrdiff_t>(std::size_t{r} * columns);
    norm_case alone{1, columns, {batch.x.begin() + first, batch.x.begin() + first + columns}, batch.weight};
    const std::vector<__half> expected{together.begin() + first, together.begin() + first + columns};
    EXPECT_TRUE(same_bits(run(alone, 1.0e-5F), expected));
  }
}

INSTANTIATE_TEST_SUITE_P(columns, cuda_rms_norm,
                         ::testing::Values(1U, 7U, 8U, 9U, 31U, 64U, 255U, 257U, 576U, 577U, 2048U, 2049U,
                                           4099U));

TEST(cuda_rms_norm_edges, a_broken_row_stays_alone) {
  auto c = random_case(3, 65);
  c.x[65 + 10] = __float2half(std::numeric_limits<float>::infinity());
  const auto out = run(c, 1.0e-5F);
  const auto clean = run(random_case(3, 65), 1.0e-5F);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i / 65 == 1) continue;
    EXPECT_EQ(__half2float(out[i]), __half2float(clean[i]));
  }
  EXPECT_TRUE(std::isnan(__half2float(out[65 + 10])));
}

TEST(cuda_rms_norm_edges, zeros_stay_zeros) {
  const norm_case c{1, 40, std::vector<__half>(40, __float2half(0.0F)), std::vector<float>(40, 2.0F)};
  for (const auto& value : run(c, 1.0e-6F)) EXPECT_EQ(__half2float(value), 0.0F);
}

TEST(cuda_rms_norm_edges, the_largest_halves_do_not_overflow) {
  const norm_case c{1, 96, std::vector<__half>(96, __float2half(60000.0F)), std::vector<float>(96, 1.0F)};
  for (const auto& value : run(c, 1.0e-6F)) EXPECT_NEAR(__half2float(value), 1.0F, 1.0e-3F);
}

TEST(cuda_rms_norm_edges, works_in_place) {
  auto c = random_case(2, 136);
  const auto expected = run(c, 1.0e-5F);
  ASSERT_EQ(rms_norm(c.x.data(), c.weight.data(), 2, 136, 1.0e-5F, c.x.data(), nullptr), cudaSuccess);
  EXPECT_TRUE(same_bits(c.x, expected));
}

TEST(cuda_rms_norm_edges, nothing_to_do) {
  EXPECT_EQ(rms_norm(nullptr, nullptr, 0, 64, 1.0e-5F, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(rms_norm(nullptr, nullptr, 1, 0, 1.0e-5F, nullptr, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace neap::kernels::cuda
