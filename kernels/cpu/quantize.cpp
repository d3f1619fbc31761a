#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// One group of `parts` * 16 values.
template <int parts>
NEAP_INLINE void quantize_group(const float* x, float fine_above, const quantized_row& out,
                                std::size_t index) {
  floats largest = zero();
  floats probe = zero();  // x - x is 0, or NaN where x is NaN or infinite
  for (int i = 0; i < parts; ++i) {
    const floats v = load(x + 16 * i);
    largest = max(absolute(v), largest);
    probe = probe + (v - v);
  }
  const float range = reduce_max(largest);
  const float broken = reduce_add(probe);
  // Below 1e-33 the inverse could overflow: such a group counts as zero.
  const bool usable = broken == 0.0F && range > 1e-33F;
  const bool fine = usable && range > fine_above;
  const floats inverse = broadcast(usable ? (fine ? 256.0F * 127.0F : 127.0F) / range : 0.0F);
  const floats to_word = broadcast(fine ? 1.0F : 256.0F);
  std::int8_t* codes8 = out.codes8 + index * parts * 16;
  std::int16_t* codes16 = out.codes16 + index * parts * 16;
  int total = 0;
  for (int i = 0; i < parts; ++i) {
    const floats code = usable ? round(load(x + 16 * i) * inverse) : zero();
    if (!fine) store_codes(code, codes8 + 16 * i);
    total += store_codes(code * to_word, codes16 + 16 * i);
  }
  out.fine[index] = fine ? 1 : 0;
  out.scales[index] = usable ? range / 127.0F : broken;
  out.sums[index] = out.scales[index] * (static_cast<float>(total) / 256.0F);
}

void quantize_row(const float* x, std::size_t columns, std::uint32_t group, float fine_above,
                  const quantized_row& out) {
  for (std::size_t i = 0; i < columns / group; ++i) {
    if (group == 32)
      quantize_group<2>(x + i * 32, fine_above, out, i);
    else
      quantize_group<1>(x + i * 16, fine_above, out, i);
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
