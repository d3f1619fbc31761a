#pragma once
// Whether the device computes what the host does.

#include "messages/result.hpp"

#include <cuda_runtime_api.h>

namespace neap::backend::cuda {

// Runs RMSNorm and a cuBLAS product at odd sizes on `stream` and compares with double arithmetic on the host.
// A few milliseconds after cuBLAS has started. Errors: device_unavailable with the operation and its error.
result<void> check_device(cudaStream_t stream);

}  // namespace neap::backend::cuda
