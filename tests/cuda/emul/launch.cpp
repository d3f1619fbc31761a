#include "tests/cuda/emul/launch.hpp"

namespace neap::cuda_emul {
namespace {

// The emulated device: one for the process, as a real one is.
struct device {
  thread_order order = thread_order::forward;
  std::uint64_t seed = 0;
  std::string report;
  block_scheduler* running = nullptr;
};

device& this_device() {
  static device instance;
  return instance;
}

constexpr std::size_t shared_limit = 48UL * 1024;

bool launch_possible(dim3 grid, dim3 block, std::size_t shared_bytes) {
  const auto threads = static_cast<std::uint64_t>(block.x) * block.y * block.z;
  const bool grid_fits =
      grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= 0x7FFFFFFFU && grid.y <= 65535 && grid.z <= 65535;
  return grid_fits && threads > 0 && threads <= 1024 && block.z <= 64 && shared_bytes <= shared_limit;
}

}  // namespace

void set_thread_order(thread_order order, std::uint64_t seed) {
  this_device().order = order;
  this_device().seed = seed;
}

const std::string& last_report() { return this_device().report; }

block_scheduler& running_block() { return *this_device().running; }

cudaError_t run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body) {
  auto& device = this_device();
  device.report.clear();
  if (!launch_possible(grid, block, shared_bytes)) {
    device.report = "launch outside the limits of a device";
    return cudaErrorInvalidConfiguration;
  }
  block_scheduler scheduler(device.order, device.seed);
  device.running = &scheduler;
  const std::uint64_t blocks = static_cast<std::uint64_t>(grid.x) * grid.y * grid.z;
  for (std::uint64_t i = 0; i < blocks && device.report.empty(); ++i) {
    const uint3 index{static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
                      static_cast<unsigned>(i / grid.x / grid.y)};
    device.report = scheduler.run(index, block, grid, shared_bytes, body);
  }
  device.running = nullptr;
  return device.report.empty() ? cudaSuccess : cudaErrorLaunchFailure;
}

}  // namespace neap::cuda_emul
