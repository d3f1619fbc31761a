#pragma once
// The CUDA implementation of backend.hpp.

#include "backends/backend.hpp"

#include <memory>

namespace neap::backend::cuda {

// Opens the first device and checks that it computes right. device_unavailable with a one-line reason if not.
// So far the device serves as inventory: load() refuses every model by name, since only RMSNorm and the
// matrix product exist on the device.
result<std::unique_ptr<backend>> make_cuda_backend();

}  // namespace neap::backend::cuda
