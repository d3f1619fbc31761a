#include "kernels/cpu/functions.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

NEAP_INLINE void rotate(float& a, float& b, float cos, float sin) {
  const float first = a * cos - b * sin;
  b = a * sin + b * cos;
  a = first;
}

void rope(rope_pairing pairing, float* x, std::size_t heads, std::size_t head_size, std::size_t rotary,
          const float* cos, const float* sin) {
  const std::size_t half = rotary / 2;
  for (float* head = x; head != x + heads * head_size; head += head_size) {
    if (pairing == rope_pairing::half_split)
      for (std::size_t i = 0; i < half; ++i) rotate(head[i], head[i + half], cos[i], sin[i]);
    else
      for (std::size_t i = 0; i < half; ++i) rotate(head[2 * i], head[2 * i + 1], cos[i], sin[i]);
  }
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
