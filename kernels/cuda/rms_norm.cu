#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/rms_norm.hpp"

#include <cstdint>

namespace neap::kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / warp_size;
constexpr unsigned group_size = 8;  // halves in one 16-byte load

struct alignas(16) half_group {
  __half value[group_size];
};

// Up to eight values from `x`; those at and past `count` are zero.
template <bool wide>
__device__ half_group load_group(const __half* x, unsigned count) {
  if constexpr (wide) {
    return *reinterpret_cast<const half_group*>(x);
  } else {
    half_group group;
    for (unsigned i = 0; i < group_size; ++i) group.value[i] = i < count ? x[i] : __float2half(0.0F);
    return group;
  }
}

template <bool wide>
__device__ void store_group(__half* out, const half_group& group, unsigned count) {
  if constexpr (wide) {
    *reinterpret_cast<half_group*>(out) = group;
  } else {
    for (unsigned i = 0; i < group_size; ++i)
      if (i < count) out[i] = group.value[i];
  }
}

// The block's sum, the same bits in every thread. `partial`: shared, one float a warp.
__device__ float block_sum(float value, float* partial) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(full_warp, value, distance);
  if (threadIdx.x % warp_size == 0) partial[threadIdx.x / warp_size] = value;
  __syncthreads();
  float sum = 0.0F;
  for (unsigned i = 0; i < warps; ++i) sum += partial[i];
  return sum;
}

template <bool wide>
__device__ float sum_of_squares(const __half* row, unsigned columns) {
  float sum = 0.0F;
  for (unsigned at = threadIdx.x * group_size; at < columns; at += threads * group_size) {
    const half_group group = load_group<wide>(row + at, columns - at);
    for (unsigned i = 0; i < group_size; ++i) {
      const float value = __half2float(group.value[i]);
      sum = fmaf(value, value, sum);
    }
  }
  return sum;
}

// One block a row.
template <bool wide>
__global__ void __launch_bounds__(threads)
    rms_norm_kernel(const __half* x, const float* weight, std::uint32_t columns, float epsilon, __half* out) {
  NEAP_DYN_SHARED(float, partial);
  const std::size_t start = static_cast<std::size_t>(blockIdx.x) * columns;
  const float sum = block_sum(sum_of_squares<wide>(x + start, columns), partial);
  const float factor = 1.0F / sqrtf(sum / static_cast<float>(columns) + epsilon);
  for (unsigned at = threadIdx.x * group_size; at < columns; at += threads * group_size) {
    half_group group = load_group<wide>(x + start + at, columns - at);
    for (unsigned i = 0; i < group_size; ++i)
      if (wide || at + i < columns)
        group.value[i] = __float2half(__half2float(group.value[i]) * factor * weight[at + i]);
    store_group<wide>(out + start + at, group, columns - at);
  }
}

bool is_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; }

}  // namespace

cudaError_t rms_norm(const __half* x, const float* weight, std::uint32_t rows, std::uint32_t columns,
                     float epsilon, __half* out, cudaStream_t stream) {
  if (columns == 0) return cudaErrorInvalidValue;
  if (rows == 0) return cudaSuccess;
  const bool wide = columns % group_size == 0 && is_aligned(x) && is_aligned(out);
  return launch(wide ? rms_norm_kernel<true> : rms_norm_kernel<false>, dim3(rows), dim3(threads),
                warps * sizeof(float), stream, x, weight, columns, epsilon, out);
}

}  // namespace neap::kernels::cuda
