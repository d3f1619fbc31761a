#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

NEAP_INLINE float largest_code(const std::int8_t*) { return 127.0F; }
NEAP_INLINE float largest_code(const std::int16_t*) { return 32767.0F; }

// One group of `parts` * 16 values.
template <int parts, class Code>
NEAP_INLINE void quantize_group(const float* x, Code* codes, float& scale, float& sum) {
  floats largest = zero();
  floats probe = zero();  // x - x is 0, or NaN where x is NaN or infinite
  for (int i = 0; i < parts; ++i) {
    const floats v = load(x + 16 * i);
    largest = max(absolute(v), largest);
    probe = probe + (v - v);
  }
  const float range = reduce_max(largest);
  const float broken = reduce_add(probe);
  const float steps = largest_code(codes);
  // Below 1e-33 the inverse could overflow: such a group counts as zero.
  const bool usable = broken == 0.0F && range > 1e-33F;
  const floats inverse = broadcast(usable ? steps / range : 0.0F);
  int total = 0;
  for (int i = 0; i < parts; ++i)
    total += store_codes(usable ? load(x + 16 * i) * inverse : zero(), codes + 16 * i);
  scale = usable ? range / steps : broken;
  sum = scale * static_cast<float>(total);
}

template <class Code>
NEAP_INLINE void quantize(const float* x, std::size_t columns, std::uint32_t group, Code* codes, float* scales,
                          float* sums) {
  for (std::size_t i = 0; i < columns / group; ++i) {
    if (group == 32)
      quantize_group<2>(x + i * 32, codes + i * 32, scales[i], sums[i]);
    else
      quantize_group<1>(x + i * 16, codes + i * 16, scales[i], sums[i]);
  }
}

void quantize_row8(const float* x, std::size_t columns, std::uint32_t group, std::int8_t* codes,
                   float* scales, float* sums) {
  quantize(x, columns, group, codes, scales, sums);
}

void quantize_row16(const float* x, std::size_t columns, std::uint32_t group, std::int16_t* codes,
                    float* scales, float* sums) {
  quantize(x, columns, group, codes, scales, sums);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
