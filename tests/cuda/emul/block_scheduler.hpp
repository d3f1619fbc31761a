#pragma once
// Runs the threads of one CUDA block as fibers, one at a time, in a chosen order. Stricter than a device on
// purpose: a barrier that not every thread of the block reaches, or that threads reach at different places of
// the source, ends the launch with a report.

#include "tests/cuda/emul/fiber.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <source_location>
#include <string>
#include <vector>
#include <vector_types.h>

namespace neap::cuda_emul {

inline constexpr unsigned lanes = 32;
using lane_values = std::array<std::uint64_t, lanes>;

enum class thread_order : std::uint8_t { forward, reverse, random };

class block_scheduler {
 public:
  block_scheduler(thread_order order, std::uint64_t seed) : order_(order), random_(seed) {}

  // Runs one block to its end. Returns an empty string, or what stopped it, in one line.
  std::string run(uint3 index, dim3 block, dim3 grid, std::size_t shared_bytes,
                  const std::function<void()>& body);

  // For code inside a kernel.
  const uint3& thread_index() const { return threads_[current_]->index; }
  const uint3& block_index() const { return block_index_; }
  const dim3& block_size() const { return block_; }
  const dim3& grid_size() const { return grid_; }
  void* shared_memory() { return shared_.data(); }
  void barrier(std::source_location where);
  lane_values warp_exchange(unsigned mask, std::uint64_t value, std::source_location where);

 private:
  enum class state : std::uint8_t { ready, at_barrier, at_exchange, stuck, exited };
  struct device_thread {
    cuda_emul::fiber fiber;
    uint3 index{};
    cuda_emul::block_scheduler::state state = state::ready;
    std::source_location where;
    unsigned mask = 0;
    std::uint64_t value = 0;
    lane_values received{};
  };
  struct alignas(16) shared_unit {
    std::array<unsigned char, 16> byte;
  };

  void prepare(std::size_t shared_bytes, const std::function<void()>& body);
  void run_thread(std::size_t number);
  bool run_ready_threads();
  void release_barrier();
  void release_exchanges();
  bool exchange_complete(std::size_t warp_start, const device_thread& first) const;
  void wait(state reason, std::source_location where);
  std::size_t count(state which) const;
  std::string blocked_report() const;

  thread_order order_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<device_thread>> threads_;  // of the current block; reused by the next
  std::size_t size_ = 0;                                 // threads in the current block
  std::size_t current_ = 0;
  uint3 block_index_{};
  dim3 block_;
  dim3 grid_;
  std::vector<shared_unit> shared_;
  std::string failure_;
  char barrier_token_ = 0;  // addresses for the thread sanitizer
  char launch_token_ = 0;
  char end_token_ = 0;
};

}  // namespace neap::cuda_emul
