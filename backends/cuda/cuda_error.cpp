#include "backends/cuda/cuda_error.hpp"

#include <string>

namespace neap::backend::cuda {
namespace {

error failure(bool memory, std::string_view action, std::string_view reason) {
  const auto code = memory ? error_code::out_of_memory : error_code::device_unavailable;
  return {code, std::string(action) + ": " + std::string(reason), {}};
}

}  // namespace

error cuda_failure(cudaError_t status, std::string_view action) {
  return failure(status == cudaErrorMemoryAllocation, action, cudaGetErrorString(status));
}

error cublas_failure(cublasStatus_t status, std::string_view action) {
  return failure(status == CUBLAS_STATUS_ALLOC_FAILED, action, cublasGetStatusString(status));
}

result<void> check(cudaError_t status, std::string_view action) {
  if (status == cudaSuccess) return {};
  return cuda_failure(status, action);
}

result<void> check(cublasStatus_t status, std::string_view action) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return cublas_failure(status, action);
}

}  // namespace neap::backend::cuda
