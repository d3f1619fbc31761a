// The C entry points of libneap-cuda.so; see backends/module_abi.hpp.

#include "backends/cuda/cuda_backend.hpp"
#include "backends/module_abi.hpp"

#include <algorithm>
#include <exception>
#include <string_view>

namespace {

void write_reason(std::string_view text, char* reason, std::uint64_t capacity) {
  if (reason == nullptr || capacity == 0) return;
  const auto length = std::min<std::uint64_t>(text.size(), capacity - 1);
  std::copy_n(text.data(), length, reason);
  reason[length] = '\0';
}

}  // namespace

// No exception passes the border.
extern "C" __attribute__((visibility("default"))) neap::backend::backend* neap_backend_create(
    char* reason, std::uint64_t capacity) try {
  auto made = neap::backend::cuda::make_cuda_backend();
  if (made) return made->release();
  write_reason(made.error().message, reason, capacity);
  return nullptr;
} catch (const std::exception& failure) {
  write_reason(failure.what(), reason, capacity);
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) std::uint32_t neap_backend_version() {
  return neap_backend_abi_version;
}
