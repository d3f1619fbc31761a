#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

static float sum_of_squares(const float* x, std::size_t columns) {
  floats sums[4] = {zero(), zero(), zero(), zero()};  // independent chains hide the latency
  std::size_t i = 0;
  for (; i + 64 <= columns; i += 64)
    for (std::size_t part = 0; part < 4; ++part) {
      const floats v = load(x + i + 16 * part);
      sums[part] = fma(v, v, sums[part]);
    }
  for (; i < columns; i += 16) {
    const floats v = i + 16 <= columns ? load(x + i) : load_partial(x + i, columns - i);
    sums[0] = fma(v, v, sums[0]);
  }
  return reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

float root_mean_square(const float* x, std::size_t columns) {
  return __builtin_sqrtf(sum_of_squares(x, columns) / static_cast<float>(columns));
}

void rms_norm(const float* x, const float* weight, std::size_t columns, float eps, float* out) {
  const float mean = sum_of_squares(x, columns) / static_cast<float>(columns);
  const float factor = 1.0F / __builtin_sqrtf(mean + eps);
  for (std::size_t i = 0; i < columns; ++i) out[i] = x[i] * factor * weight[i];
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
