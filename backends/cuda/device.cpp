#include "backends/cuda/device.hpp"

#include "backends/cuda/cuda_error.hpp"

#include <string>

namespace neap::backend::cuda {

result<device_properties> open_device() {
  int count = 0;
  if (const auto status = cudaGetDeviceCount(&count); status != cudaSuccess)
    return cuda_failure(status, "no CUDA device");
  if (count == 0) return cuda_failure(cudaErrorNoDevice, "no CUDA device");
  if (auto set = check(cudaSetDevice(0), "use CUDA device 0"); !set) return set.error();
  cudaDeviceProp found{};
  if (auto asked = check(cudaGetDeviceProperties(&found, 0), "describe CUDA device 0"); !asked)
    return asked.error();
  return device_properties{"cuda", &found.name[0],
                           "sm_" + std::to_string(found.major) + std::to_string(found.minor),
                           static_cast<std::uint32_t>(found.multiProcessorCount), found.totalGlobalMem};
}

}  // namespace neap::backend::cuda
