#pragma once
// Included first by every source in kernels/cpu/. Each source is compiled once per instruction set with
// NEAP_KERNEL_ISA naming it, and puts everything in the namespace of that name.
//
// One-definition trap: an inline function with external linkage would be merged by the linker over the ISAs,
// and the surviving copy might use instructions the CPU lacks. So nothing here uses std functions or
// templates; helpers are `static`, types live in the ISA's namespace. A test lists the weak symbols.

#include "kernels/kernel_table.hpp"

#define NEAP_INLINE [[gnu::always_inline]] static inline

#if defined(NEAP_KERNEL_ISA_avx512)
#include "kernels/cpu/vec_avx512.hpp"
#elif defined(NEAP_KERNEL_ISA_avx2)
#include "kernels/cpu/vec_avx2.hpp"
#else
#include "kernels/cpu/vec_baseline.hpp"
#endif

namespace neap::kernels::NEAP_KERNEL_ISA {

// The first `count` (1..15) floats at p, then zeros.
NEAP_INLINE floats load_partial(const float* p, std::size_t count) {
  float buffer[16] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load(buffer);
}

// Writes the first `count` (1..15) lanes.
NEAP_INLINE void store_partial(floats v, float* p, std::size_t count) {
  float buffer[16];
  store(v, buffer);
  for (std::size_t i = 0; i < count; ++i) p[i] = buffer[i];
}

// Sixteen stored keys or values as floats.
NEAP_INLINE floats load_stored(const float* p) { return load(p); }
NEAP_INLINE floats load_stored(const std::uint16_t* p) { return load_f16(p); }

}  // namespace neap::kernels::NEAP_KERNEL_ISA
