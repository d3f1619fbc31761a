#include "backends/cuda/gemm.hpp"

#include "backends/cuda/cuda_error.hpp"

namespace neap::backend::cuda {

result<gemm> gemm::make(cudaStream_t stream) {
  cublasHandle_t handle = nullptr;
  if (auto made = check(cublasCreate(&handle), "start cuBLAS"); !made) return made.error();
  gemm owner(handle);
  if (auto set = check(cublasSetStream(handle, stream), "give cuBLAS a stream"); !set) return set.error();
  return owner;
}

result<void> gemm::multiply(const __half* x, const __half* w, __half* y, std::uint32_t rows,
                            std::uint32_t features, std::uint32_t inner) const {
  const float one = 1.0F;
  const float zero = 0.0F;
  // cuBLAS counts columns first: it sees our row-major w as [inner, features] and writes y as [features,
  // rows].
  const auto status = cublasGemmEx_64(handle_.get(), CUBLAS_OP_T, CUBLAS_OP_N, features, rows, inner, &one, w,
                                      CUDA_R_16F, inner, x, CUDA_R_16F, inner, &zero, y, CUDA_R_16F, features,
                                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  return check(status, "matrix product");
}

}  // namespace neap::backend::cuda
