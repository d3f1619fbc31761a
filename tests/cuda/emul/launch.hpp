#pragma once
// Launching kernels in the emulation, and its settings. One operating system thread at a time.

#include "tests/cuda/emul/block_scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <string>

namespace neap::cuda_emul {

// The order in which the threads of a block run from now on. A good kernel gives the same bits in every
// order.
void set_thread_order(thread_order order, std::uint64_t seed = 0);

// What stopped the last launch, in one line; empty if it ended well.
const std::string& last_report();

// Runs all blocks, one after another. Checks the limits of a launch as a device does. A block that cannot go
// on gives cudaErrorLaunchFailure.
cudaError_t run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body);

// The block that is running. Only inside a kernel.
block_scheduler& running_block();

}  // namespace neap::cuda_emul
