// Self-test for a machine with a device: built and run by scripts/gpu-check, which has neither Boost nor CAF
// nor GoogleTest there. Exit status 0: the device computes right; 77: no device; 1: it does not.

#include "backends/cuda/cuda_error.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/device_array.hpp"
#include "backends/cuda/gemm.hpp"
#include "backends/cuda/self_check.hpp"
#include "kernels/cuda/rms_norm.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace neap::backend::cuda {
namespace {

constexpr int repeats = 50;

struct measurement {
  std::string name;
  double microseconds = 0.0;
  double bytes = 0.0;       // moved by one run
  double operations = 0.0;  // of one run
};

// The time of one run on the device, by its own clock.
result<double> microseconds_of(const std::function<result<void>()>& run) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  if (auto warm = run(); !warm) return warm.error();
  if (auto made = check(cudaEventCreate(&begin), "make an event"); !made) return made.error();
  if (auto made = check(cudaEventCreate(&end), "make an event"); !made) return made.error();
  static_cast<void>(cudaEventRecord(begin, nullptr));
  for (int i = 0; i < repeats; ++i)
    if (auto ran = run(); !ran) return ran.error();
  static_cast<void>(cudaEventRecord(end, nullptr));
  float milliseconds = 0.0F;
  if (auto waited = check(cudaEventSynchronize(end), "wait for the device"); !waited) return waited.error();
  static_cast<void>(cudaEventElapsedTime(&milliseconds, begin, end));
  static_cast<void>(cudaEventDestroy(begin));
  static_cast<void>(cudaEventDestroy(end));
  return 1000.0 * static_cast<double>(milliseconds) / repeats;
}

result<measurement> time_norm(std::uint32_t rows, std::uint32_t columns) {
  const std::size_t size = std::size_t{rows} * columns;
  auto x = device_array<__half>::copy_of(std::vector<__half>(size, __float2half(1.5F)), nullptr);
  if (!x) return x.error();
  auto weight = device_array<float>::copy_of(std::vector<float>(columns, 1.0F), nullptr);
  if (!weight) return weight.error();
  auto time = microseconds_of([&] {
    return check(
        kernels::cuda::rms_norm(x->data(), weight->data(), rows, columns, 1.0e-5F, x->data(), nullptr),
        "RMSNorm");
  });
  if (!time) return time.error();
  const double bytes = 4.0 * static_cast<double>(size) + 4.0 * columns;
  return measurement{"RMSNorm " + std::to_string(rows) + " x " + std::to_string(columns), *time, bytes, 0.0};
}

result<measurement> time_product(std::uint32_t rows, std::uint32_t features, std::uint32_t inner) {
  auto product = gemm::make(nullptr);
  if (!product) return product.error();
  const auto filled = [](std::size_t size) {
    return device_array<__half>::copy_of(std::vector<__half>(size, __float2half(0.5F)), nullptr);
  };
  auto x = filled(std::size_t{rows} * inner);
  auto w = filled(std::size_t{features} * inner);
  auto y = filled(std::size_t{rows} * features);
  for (const auto* array : {&x, &w, &y})
    if (!*array) return array->error();
  auto time = microseconds_of(
      [&] { return product->multiply(x->data(), w->data(), y->data(), rows, features, inner); });
  if (!time) return time.error();
  return measurement{
      "product " + std::to_string(rows) + " x " + std::to_string(features) + " x " + std::to_string(inner),
      *time, 2.0 * static_cast<double>(x->size() + w->size() + y->size()), 2.0 * rows * features * inner};
}

int report(const result<measurement>& done) {
  if (!done) {
    std::printf("FAILED: %s\n", done.error().message.c_str());
    return 1;
  }
  std::printf("%-28s %10.1f us %8.0f GB/s %8.1f Tflop/s\n", done->name.c_str(), done->microseconds,
              done->bytes / done->microseconds / 1.0e3, done->operations / done->microseconds / 1.0e6);
  return 0;
}

int run_all() {
  const auto device = open_device();
  if (!device) {
    std::printf("%s\n", device.error().message.c_str());
    return 77;
  }
  std::printf("%s, %s, %u multiprocessors, %zu MiB\n", device->name.c_str(), device->instructions.c_str(),
              device->threads, device->memory_bytes >> 20U);
  if (const auto sound = check_device(nullptr); !sound) {
    std::printf("FAILED: %s\n", sound.error().message.c_str());
    return 1;
  }
  std::printf("RMSNorm and the matrix product agree with the host\n");
  int failed = 0;
  failed |= report(time_norm(1, 576));
  failed |= report(time_norm(512, 4096));
  failed |= report(time_norm(8192, 4096));
  failed |= report(time_product(8, 4096, 4096));
  failed |= report(time_product(512, 4096, 4096));
  return failed;
}

}  // namespace
}  // namespace neap::backend::cuda

int main() { return neap::backend::cuda::run_all(); }
