#pragma once
// Matrix products by cuBLAS; the only file that knows its functions.

#include "messages/result.hpp"

#include <cstdint>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <memory>
#include <type_traits>

namespace neap::backend::cuda {

class gemm {
 public:
  // A cuBLAS context whose work goes to `stream`. Slow (tens of milliseconds): once a device.
  static result<gemm> make(cudaStream_t stream);

  // y[r][f] = sum over k of x[r][k] * w[f][k], added up in float.
  // x: half [rows, inner], w: half [features, inner], y: half [rows, features]; dense, device memory.
  result<void> multiply(const __half* x, const __half* w, __half* y, std::uint32_t rows,
                        std::uint32_t features, std::uint32_t inner) const;

 private:
  struct destroy {
    void operator()(cublasHandle_t handle) const { static_cast<void>(cublasDestroy(handle)); }
  };
  explicit gemm(cublasHandle_t handle) : handle_(handle) {}

  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, destroy> handle_;
};

}  // namespace neap::backend::cuda
