// The C entry points of libneap-cuda.so; see backends/module_abi.hpp.
//
// So far the module proves the seam: it finds the device, runs RMSNorm and a cuBLAS product there and
// compares them with the host. Models cannot run on it yet, so creation always ends with a reason, and a
// server that chooses its device by itself takes the CPU.

#include "backends/cuda/cuda_error.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/self_check.hpp"
#include "backends/module_abi.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>

namespace {

void write_reason(std::string_view text, char* reason, std::uint64_t capacity) {
  if (reason == nullptr || capacity == 0) return;
  const auto length = std::min<std::uint64_t>(text.size(), capacity - 1);
  std::copy_n(text.data(), length, reason);
  reason[length] = '\0';
}

std::string why_unavailable() {
  using namespace neap::backend::cuda;
  const auto device = open_device();
  if (!device) return device.error().message;
  const auto sound = check_device(cudaStreamPerThread);
  if (!sound) return device->name + ": " + sound.error().message;
  return device->name + " (" + device->instructions +
         ") is there and computes right, but models cannot run on CUDA yet; use the CPU";
}

}  // namespace

// No exception passes the border.
extern "C" __attribute__((visibility("default"))) neap::backend::backend* neap_backend_create(
    char* reason, std::uint64_t capacity) try {
  write_reason(why_unavailable(), reason, capacity);
  return nullptr;
} catch (const std::exception& failure) {
  write_reason(failure.what(), reason, capacity);
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) std::uint32_t neap_backend_version() {
  return neap_backend_abi_version;
}
