#include "backends/cuda/self_check.hpp"

#include "backends/cuda/device_array.hpp"
#include "backends/cuda/gemm.hpp"
#include "kernels/cuda/rms_norm.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace neap::backend::cuda {
namespace {

constexpr std::uint32_t rows = 5;
constexpr std::uint32_t inner = 577;
constexpr std::uint32_t features = 129;
constexpr float epsilon = 1.0e-5F;

template <class T, class Convert>
std::vector<T> random_values(std::size_t size, std::uint32_t seed, Convert convert) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<T> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(convert(normal(random)));
  return values;
}

std::vector<__half> random_halves(std::size_t size, std::uint32_t seed) {
  return random_values<__half>(size, seed, [](float v) { return __float2half(v); });
}

double as_double(__half value) { return static_cast<double>(__half2float(value)); }

std::vector<double> expected_norm(const std::vector<__half>& x, const std::vector<float>& weight) {
  std::vector<double> out(x.size());
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (std::size_t i = 0; i < inner; ++i) sum += as_double(x[r * inner + i]) * as_double(x[r * inner + i]);
    const double factor = 1.0 / std::sqrt(sum / inner + double{epsilon});
    for (std::size_t i = 0; i < inner; ++i)
      out[r * inner + i] = as_double(x[r * inner + i]) * factor * double{weight[i]};
  }
  return out;
}

std::vector<double> expected_product(const std::vector<__half>& x, const std::vector<__half>& w) {
  std::vector<double> out(std::size_t{rows} * features);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t k = 0; k < inner; ++k)
        out[r * features + f] += as_double(x[r * inner + k]) * as_double(w[f * inner + k]);
  return out;
}

// Root of the summed squares of the errors over that of the expected values; the limit is about twice the
// rounding of half.
result<void> compare(const char* operation, const std::vector<__half>& found,
                     const std::vector<double>& expected) {
  double wrong = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    wrong += std::pow(as_double(found[i]) - expected[i], 2);
    size += expected[i] * expected[i];
  }
  const double relative = std::sqrt(wrong / size);
  if (relative < 1.0e-3) return {};
  return error{
      error_code::device_unavailable,
      std::string("the device computes ") + operation + " with an error of " + std::to_string(relative),
      {}};
}

result<void> check_norm(cudaStream_t stream) {
  const auto x = random_halves(std::size_t{rows} * inner, 1);
  const auto weight = random_values<float>(inner, 2, [](float v) { return 1.0F + 0.1F * v; });
  auto on_device = device_array<__half>::copy_of(x, stream);
  if (!on_device) return on_device.error();
  auto weight_on_device = device_array<float>::copy_of(weight, stream);
  if (!weight_on_device) return weight_on_device.error();
  const auto status = kernels::cuda::rms_norm(on_device->data(), weight_on_device->data(), rows, inner,
                                              epsilon, on_device->data(), stream);
  if (auto launched = check(status, "launch RMSNorm"); !launched) return launched;
  const auto out = on_device->to_host(stream);
  if (!out) return out.error();
  return compare("RMSNorm", *out, expected_norm(x, weight));
}

result<void> check_product(cudaStream_t stream) {
  auto product = gemm::make(stream);
  if (!product) return product.error();
  const auto x = random_halves(std::size_t{rows} * inner, 3);
  const auto w = random_halves(std::size_t{features} * inner, 4);
  auto x_on_device = device_array<__half>::copy_of(x, stream);
  if (!x_on_device) return x_on_device.error();
  auto w_on_device = device_array<__half>::copy_of(w, stream);
  if (!w_on_device) return w_on_device.error();
  auto y = device_array<__half>::make(std::size_t{rows} * features);
  if (!y) return y.error();
  if (auto ran =
          product->multiply(x_on_device->data(), w_on_device->data(), y->data(), rows, features, inner);
      !ran)
    return ran;
  const auto out = y->to_host(stream);
  if (!out) return out.error();
  return compare("a matrix product", *out, expected_product(x, w));
}

}  // namespace

result<void> check_device(cudaStream_t stream) {
  if (auto norm = check_norm(stream); !norm) return norm;
  return check_product(stream);
}

}  // namespace neap::backend::cuda
