#pragma once
// How the devices' backends are made; only the composition root and the command line need to know.

#include "backends/backend.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace neap::backend {

struct cpu_options {
  std::uint32_t threads = 0;  // 0 = physical cores available to the process
  int nice = 5;               // compute threads yield to the actors' threads
};

// The CPU backend: own worker pool, kernels of the best ISA.
result<std::unique_ptr<backend>> make_cpu_backend(const cpu_options& options);

// Opens a backend module; without a path, libneap-cuda.so next to the binary or in the library path.
// device_unavailable with the loader's or driver's reason in one line where there is none.
result<std::unique_ptr<backend>> open_cuda_backend(const std::string& path);

}  // namespace neap::backend
