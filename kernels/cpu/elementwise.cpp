// Elementwise sums and the gated activations of feed-forward layers.

#include "kernels/cpu/functions.hpp"
#include "kernels/cpu/vector_math.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

void add(float* x, const float* y, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] += y[i];
}

NEAP_INLINE floats silu(floats x) { return x * sigmoid(x); }

// x/2 (1 + tanh u) = x sigmoid(2u) with u = sqrt(2/pi) (x + 0.044715 x^3).
NEAP_INLINE floats gelu_tanh(floats x) {
  constexpr float twice_root = 1.5957691216057308F;  // 2 sqrt(2/pi)
  const floats inner = fma(x * x, broadcast(0.044715F * twice_root), broadcast(twice_root));
  return x * sigmoid(x * inner);
}

template <activation act>
static void gated(float* gate, const float* up, std::size_t count) {
  const auto apply = [](floats x) __attribute__((always_inline)) {
    return act == activation::silu ? silu(x) : gelu_tanh(x);
  };
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) store(apply(load(gate + i)) * load(up + i), gate + i);
  const std::size_t rest = count - i;
  if (rest == 0) return;
  store_partial(apply(load_partial(gate + i, rest)) * load_partial(up + i, rest), gate + i, rest);
}

void gated_activation(activation act, float* gate, const float* up, std::size_t count) {
  if (act == activation::silu)
    gated<activation::silu>(gate, up, count);
  else
    gated<activation::gelu_tanh>(gate, up, count);
}

}  // namespace neap::kernels::NEAP_KERNEL_ISA
