// Which copy of the kernels this machine runs.

#include "kernels/kernel_table.hpp"

#include <cstdlib>
#include <string_view>

namespace neap::kernels {
namespace baseline {
extern const kernel_table kernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const kernel_table kernels;
}
namespace avx512 {
extern const kernel_table kernels;
}
#endif

namespace {

// What CPU and operating system support together.
isa detect() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (!has_avx2) return isa::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vnni");
  return has_avx512 ? isa::avx512 : isa::avx2;
#else
  return isa::baseline;
#endif
}

isa lowered_by_environment(isa best) noexcept {
  const char* wanted = std::getenv("NEAP_ISA");
  if (wanted == nullptr) return best;
  const std::string_view name = wanted;
  if (name == "baseline") return isa::baseline;
  if (name == "avx2" && best > isa::avx2) return isa::avx2;
  return best;
}

}  // namespace

const kernel_table& baseline_kernels() noexcept { return baseline::kernels; }
#if defined(__x86_64__)
const kernel_table& avx2_kernels() noexcept { return avx2::kernels; }
const kernel_table& avx512_kernels() noexcept { return avx512::kernels; }
#else
// Elsewhere the baseline, vectorised by the compiler, is all there is.
const kernel_table& avx2_kernels() noexcept { return baseline::kernels; }
const kernel_table& avx512_kernels() noexcept { return baseline::kernels; }
#endif

isa best_isa() noexcept { return lowered_by_environment(detect()); }

const kernel_table& kernels_for(isa level) noexcept {
  switch (level) {
    case isa::avx512:
      return avx512_kernels();
    case isa::avx2:
      return avx2_kernels();
    case isa::baseline:
      break;
  }
  return baseline_kernels();
}

}  // namespace neap::kernels
