#pragma once
// The one header that GPU kernels include. Under nvcc it is CUDA itself; with NEAP_CUDA_EMUL the same kernels
// compile as plain C++ over the emulation that the including target brings along as <neap_cuda_emul.hpp>.

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <vector_functions.h>

#ifdef NEAP_CUDA_EMUL
#include <neap_cuda_emul.hpp>
#else
#include <cuda_runtime.h>
// Dynamic shared memory of the block as an array `name` of `type`, 16-byte aligned. Once per kernel.
#define NEAP_DYN_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char neap_dyn_shared[]; \
  type* const name = reinterpret_cast<type*>(neap_dyn_shared)
#endif

#include <cstddef>
#include <utility>

namespace neap::kernels::cuda {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned full_warp = 0xFFFFFFFFU;

// Starts `kernel` on `stream` with `shared_bytes` of dynamic shared memory; asynchronous on a device. The
// argument types are checked against the kernel's. An error of the launch itself is returned; an error inside
// the kernel shows at the next wait for the stream (in the emulation: at once).
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                   cudaStream_t stream, Arguments&&... arguments) {
#ifdef NEAP_CUDA_EMUL
  static_cast<void>(stream);  // the emulation runs at once
  return cuda_emul::run_grid(grid, block, shared_bytes,
                             [&] { kernel(static_cast<Parameters>(arguments)...); });
#else
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
#endif
}

}  // namespace neap::kernels::cuda
