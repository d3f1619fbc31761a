// The emulation itself: broken kernels must be reported, sound ones must not.

#include "kernels/cuda/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace neap::kernels::cuda {
namespace {

using cuda_emul::thread_order;

class cuda_emulation : public ::testing::Test {
 protected:
  void SetUp() override { cuda_emul::set_thread_order(thread_order::forward); }
};

void expect_failure(cudaError_t status, const std::string& part) {
  EXPECT_EQ(status, cudaErrorLaunchFailure);
  EXPECT_NE(cuda_emul::last_report().find(part), std::string::npos) << cuda_emul::last_report();
}

__global__ void write_index(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1 + thread + 1000 * block;
}

TEST_F(cuda_emulation, every_thread_of_every_block_runs_once) {
  std::vector<unsigned> out(2UL * 3 * 2 * 5 * 2 * 3);
  ASSERT_EQ(launch(write_index, dim3(2, 3, 2), dim3(5, 2, 3), 0, nullptr, out.data()), cudaSuccess);
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 1 + i % 30 + 1000 * (i / 30));
}

__global__ void some_skip_the_barrier() {
  if (threadIdx.x < 40) __syncthreads();
}

TEST_F(cuda_emulation, threads_that_leave_before_a_barrier_are_reported) {
  expect_failure(launch(some_skip_the_barrier, dim3(1), dim3(64), 0, nullptr),
                 "block (0,0,0): no thread can run, 24 of 64 exited; thread 0 waits at __syncthreads");
  EXPECT_NE(cuda_emul::last_report().find("emul_test.cpp:"), std::string::npos);
}

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}

TEST_F(cuda_emulation, different_barriers_are_reported) {
  expect_failure(launch(two_barriers, dim3(1), dim3(64), 0, nullptr), "different barriers");
}

__global__ void half_a_warp_shuffles(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(full_warp, 1, 1);
}

TEST_F(cuda_emulation, a_shuffle_that_lanes_of_its_mask_miss_is_reported) {
  int out[32] = {};
  expect_failure(launch(half_a_warp_shuffles, dim3(1), dim3(32), 0, nullptr, &out[0]), "a warp operation");
}

__global__ void stranger_in_mask() { __syncwarp(0x0000FFFFU); }

TEST_F(cuda_emulation, a_mask_without_the_caller_is_reported) {
  expect_failure(launch(stranger_in_mask, dim3(1), dim3(32), 0, nullptr), "is not in its own mask");
}

__global__ void warp_operations(unsigned* ballot, float* neighbour, int* broadcast) {
  const unsigned lane = threadIdx.x % warp_size;
  ballot[threadIdx.x] = __ballot_sync(full_warp, lane % 3 == 0 ? 1 : 0);
  neighbour[threadIdx.x] = __shfl_xor_sync(full_warp, 0.5F * static_cast<float>(threadIdx.x), 5);
  const unsigned half = lane < 16 ? 0x0000FFFFU : 0xFFFF0000U;
  broadcast[threadIdx.x] = __shfl_sync(half, static_cast<int>(threadIdx.x), lane < 16 ? 3 : 19);
}

TEST_F(cuda_emulation, warp_operations_exchange_between_the_lanes_of_their_mask) {
  for (const auto order : {thread_order::forward, thread_order::reverse, thread_order::random}) {
    cuda_emul::set_thread_order(order, 7);
    std::vector<unsigned> ballot(64);
    std::vector<float> neighbour(64);
    std::vector<int> broadcast(64);
    ASSERT_EQ(launch(warp_operations, dim3(1), dim3(64), 0, nullptr, ballot.data(), neighbour.data(),
                     broadcast.data()),
              cudaSuccess);
    for (unsigned i = 0; i < 64; ++i) {
      EXPECT_EQ(ballot[i], 0x49249249U);
      EXPECT_EQ(neighbour[i], 0.5F * static_cast<float>(i ^ 5U));
      EXPECT_EQ(broadcast[i], static_cast<int>(i / 16 * 16 + 3));
    }
  }
}

__global__ void reads_unwritten_shared(float* out) {
  NEAP_DYN_SHARED(float, values);
  out[threadIdx.x] = values[threadIdx.x];
}

TEST_F(cuda_emulation, shared_memory_begins_as_not_a_number) {
  float out[8] = {};
  ASSERT_EQ(launch(reads_unwritten_shared, dim3(1), dim3(8), 8 * sizeof(float), nullptr, &out[0]),
            cudaSuccess);
  for (const float value : out) EXPECT_TRUE(std::isnan(value));
}

#ifndef __SANITIZE_THREAD__  // it reports this race, rightly
// A sum that forgets the barrier between writing and reading.
__global__ void missing_barrier(float* out) {
  NEAP_DYN_SHARED(float, values);
  values[threadIdx.x] = 1.0F;
  if (threadIdx.x != 0) return;
  float sum = 0.0F;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += values[i];
  *out = sum;
}

TEST_F(cuda_emulation, thread_orders_bring_a_missing_barrier_to_light) {
  float sum = 0.0F;
  cuda_emul::set_thread_order(thread_order::reverse);
  ASSERT_EQ(launch(missing_barrier, dim3(1), dim3(16), 64, nullptr, &sum), cudaSuccess);
  EXPECT_EQ(sum, 16.0F);  // looks right in this order
  cuda_emul::set_thread_order(thread_order::forward);
  ASSERT_EQ(launch(missing_barrier, dim3(1), dim3(16), 64, nullptr, &sum), cudaSuccess);
  EXPECT_TRUE(std::isnan(sum));
}
#endif

TEST_F(cuda_emulation, launches_outside_the_limits_are_refused) {
  const auto refused = [](dim3 grid, dim3 block, std::size_t shared) {
    return launch(stranger_in_mask, grid, block, shared, nullptr) == cudaErrorInvalidConfiguration;
  };
  EXPECT_TRUE(refused(dim3(0), dim3(32), 0));
  EXPECT_TRUE(refused(dim3(1), dim3(0), 0));
  EXPECT_TRUE(refused(dim3(1), dim3(1025), 0));
  EXPECT_TRUE(refused(dim3(1, 65536), dim3(32), 0));
  EXPECT_TRUE(refused(dim3(1), dim3(1, 1, 65), 0));
  EXPECT_TRUE(refused(dim3(1), dim3(32), 48 * 1024 + 1));
}

}  // namespace
}  // namespace neap::kernels::cuda
