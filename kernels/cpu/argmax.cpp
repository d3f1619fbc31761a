#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// max() keeps its second operand where the first is NaN, so NaN never enters the running maximum.
static float largest(const float* x, std::size_t count) {
  floats best = broadcast(-__builtin_inff());
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) best = max(load(x + i), best);
  float result = reduce_max(best);
  for (; i < count; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

std::size_t argmax(const float* x, std::size_t count) {
  const float value = largest(x, count);
  std::size_t i = 0;
  while (i + 16 <= count && !any_equal(load(x + i), value)) i += 16;
  for (; i < count; ++i)
    if (x[i] == value) return i;
  return 0;
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
