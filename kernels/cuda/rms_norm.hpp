#pragma once
// Root mean square normalisation on the device.

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace neap::kernels::cuda {

// out[r][c] = x[r][c] / sqrt(mean over c of x[r][c]^2 + epsilon) * weight[c]
// x, out: half [rows, columns], dense, device memory; out may be x. weight: float [columns]. columns > 0.
// Sums in float in an order that depends on columns alone: a row's result is the same bits in any batch and
// at any alignment. 16-byte loads where columns and addresses allow. Cost: reads 2, writes 2 bytes an
// element. rows = 0 launches nothing. Errors: those of a kernel launch; cudaErrorInvalidValue for columns =
// 0.
cudaError_t rms_norm(const __half* x, const float* weight, std::uint32_t rows, std::uint32_t columns,
                     float epsilon, __half* out, cudaStream_t stream);

}  // namespace neap::kernels::cuda
