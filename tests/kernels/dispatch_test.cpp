// The choice of instruction set, and that one copy's code never stands in for another's.

#include "tests/kernels/kernel_fixture.hpp"
#include "tests/kernels/weights.hpp"

#include <cstdlib>

namespace neap::kernels::test {
namespace {

TEST(dispatch, tables_name_themselves) {
  EXPECT_EQ(baseline_kernels().name, "baseline");
  EXPECT_EQ(baseline_kernels().level, isa::baseline);
#if defined(__x86_64__)
  EXPECT_EQ(avx2_kernels().name, "avx2");
  EXPECT_EQ(avx512_kernels().name, "avx512");
  EXPECT_EQ(kernels_for(isa::avx512).level, isa::avx512);
  EXPECT_EQ(kernels_for(isa::avx2).level, isa::avx2);
#endif
}

TEST(dispatch, the_environment_may_lower_the_isa) {
  const char* old = std::getenv("NEAP_ISA");
  const std::string saved = old == nullptr ? "" : old;
  unsetenv("NEAP_ISA");
  const isa best = best_isa();
  setenv("NEAP_ISA", "baseline", 1);
  EXPECT_EQ(best_isa(), isa::baseline);
  setenv("NEAP_ISA", "avx2", 1);
  EXPECT_EQ(best_isa(), best < isa::avx2 ? best : isa::avx2);
  setenv("NEAP_ISA", "avx512", 1);
  EXPECT_EQ(best_isa(), best);
  setenv("NEAP_ISA", "nonsense", 1);
  EXPECT_EQ(best_isa(), best);
  if (old == nullptr)
    unsetenv("NEAP_ISA");
  else
    setenv("NEAP_ISA", saved.c_str(), 1);
}

// Quantisation uses only exactly rounded operations: every ISA gives the same bits.
TEST(dispatch, quantisation_agrees_between_isas) {
  const std::vector<float> x = random_floats(4096, 1);
  for (const float limit : fine_limits) {
    const quantized_activations base(baseline_kernels(), x, 4096, 32, limit);
    for (const isa level : available_isas()) {
      const quantized_activations other(kernels_for(level), x, 4096, 32, limit);
      EXPECT_EQ(base.codes8, other.codes8);
      EXPECT_EQ(base.codes16, other.codes16);
      EXPECT_EQ(base.fine, other.fine);
      EXPECT_TRUE(same_bits(base.scales.data(), other.scales.data(), base.scales.size()));
      EXPECT_TRUE(same_bits(base.sums.data(), other.sums.data(), base.sums.size()));
    }
  }
}

}  // namespace
}  // namespace neap::kernels::test
