#pragma once
// CUDA's built-in variables and functions for kernels that are compiled as C++. Included by
// kernels/cuda/gpu.hpp after CUDA's own host headers, which bring the types and the arithmetic of half.

#include "tests/cuda/emul/launch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <source_location>

#define threadIdx (::neap::cuda_emul::running_block().thread_index())
#define blockIdx (::neap::cuda_emul::running_block().block_index())
#define blockDim (::neap::cuda_emul::running_block().block_size())
#define gridDim (::neap::cuda_emul::running_block().grid_size())

#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
// Blocks run one after another on one thread, so a block's array can be a static one.
#undef __shared__
#define __shared__ static
#define NEAP_DYN_SHARED(type, name) \
  type* const name = static_cast<type*>(::neap::cuda_emul::running_block().shared_memory())

inline void __syncthreads(std::source_location where = std::source_location::current()) {
  neap::cuda_emul::running_block().barrier(where);
}

inline void __syncwarp(unsigned mask = 0xFFFFFFFFU,
                       std::source_location where = std::source_location::current()) {
  neap::cuda_emul::running_block().warp_exchange(mask, 0, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              std::source_location where = std::source_location::current()) {
  const auto votes = neap::cuda_emul::running_block().warp_exchange(mask, predicate != 0 ? 1 : 0, where);
  unsigned result = 0;
  for (unsigned lane = 0; lane < neap::cuda_emul::lanes; ++lane)
    result |= static_cast<unsigned>(votes[lane]) << lane;
  return result;
}

namespace neap::cuda_emul {

// The value of lane `source` after an exchange; of a lane outside the mask: undefined on a device, 0 here.
template <class T>
T shuffle(unsigned mask, T value, unsigned source, std::source_location where) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = running_block().warp_exchange(mask, bits, where)[source % lanes];
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned lane_index() {
  const auto& block = running_block().block_size();
  const auto& thread = running_block().thread_index();
  return ((thread.z * block.y + thread.y) * block.x + thread.x) % lanes;
}

}  // namespace neap::cuda_emul

template <class T>
T __shfl_sync(unsigned mask, T value, int source,
              std::source_location where = std::source_location::current()) {
  return neap::cuda_emul::shuffle(mask, value, static_cast<unsigned>(source), where);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance,
                  std::source_location where = std::source_location::current()) {
  const auto source = neap::cuda_emul::lane_index() ^ static_cast<unsigned>(distance);
  return neap::cuda_emul::shuffle(mask, value, source, where);
}
