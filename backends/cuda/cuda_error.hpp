#pragma once
// CUDA's and cuBLAS's statuses as project errors.

#include "messages/error.hpp"
#include "messages/result.hpp"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <string_view>

namespace neap::backend::cuda {

// The error for a status that is not cudaSuccess. out_of_memory for memory, device_unavailable for the rest.
// `action`: what was tried, e.g. "copy to the device".
error cuda_failure(cudaError_t status, std::string_view action);
error cublas_failure(cublasStatus_t status, std::string_view action);

// Success or the error of the status.
result<void> check(cudaError_t status, std::string_view action);
result<void> check(cublasStatus_t status, std::string_view action);

}  // namespace neap::backend::cuda
