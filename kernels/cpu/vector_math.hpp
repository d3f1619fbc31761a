#pragma once
// Functions of sixteen floats built from the operations every ISA offers.

#include "kernels/cpu/isa.hpp"

namespace neap::kernels::NEAP_KERNEL_ISA {

// Below this exp gives exactly 0: results would near the subnormal range.
inline constexpr float exp_lowest = -86.5F;

// e^x within 2 ulp; exactly 0 below exp_lowest, infinity above 88.73, NaN for NaN.
//
// x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts so that r is exact; e^r by its series.
NEAP_INLINE floats exp(floats x) {
  const floats bounded = min(broadcast(89.0F), max(broadcast(-87.0F), x));
  const floats n = round(bounded * broadcast(0x1.715476p+0F));
  floats r = fma(n, broadcast(-0x1.62e4p-1F), bounded);
  r = fma(n, broadcast(-0x1.7f7d1cp-20F), r);
  floats p = broadcast(1.0F / 5040.0F);
  p = fma(p, r, broadcast(1.0F / 720.0F));
  p = fma(p, r, broadcast(1.0F / 120.0F));
  p = fma(p, r, broadcast(1.0F / 24.0F));
  p = fma(p, r, broadcast(1.0F / 6.0F));
  p = fma(p, r, broadcast(0.5F));
  p = fma(p * r, r, r) + broadcast(1.0F);
  // n reaches 128, one more than an exponent field holds: double at the end.
  const floats power = power_of_two(n - broadcast(1.0F));
  return zero_below(x, exp_lowest, (p * power) * broadcast(2.0F));
}

// 1 / (1 + e^-x).
NEAP_INLINE floats sigmoid(floats x) { return broadcast(1.0F) / (broadcast(1.0F) + exp(zero() - x)); }

}  // namespace neap::kernels::NEAP_KERNEL_ISA
