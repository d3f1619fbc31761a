#include "kernels/reference/reference.hpp"

#include <cmath>

namespace neap::kernels::reference {
namespace {

unsigned code_at(const packed_matrix& w, std::size_t row, std::size_t k) {
  const std::size_t tile = row / packed_lanes;
  const std::size_t lane = row % packed_lanes;
  const std::size_t group = k / w.group;
  const std::size_t in_group = k % w.group;
  const std::size_t group_at = tile * (w.columns / w.group) + group;
  const std::size_t vector = in_group / 4;
  const std::size_t byte = 4 * lane + in_group % 4;
  if (w.kind == packed_kind::bits8) return w.codes[(group_at * (w.group / 4) + vector) * 64 + byte];
  const unsigned pair = w.codes[(group_at * (w.group / 8) + vector % 4) * 64 + byte];
  return vector < 4 ? pair & 15U : pair >> 4U;
}

double activation(const quantized_rows& x, std::size_t row, std::size_t k) {
  constexpr std::size_t order[] = {0, 2, 1, 3};
  const double scale = x.scales[(row * x.columns + k) / x.group];
  return scale * x.codes16[row * x.columns + k / 4 * 4 + order[k % 4]] / 256;
}

template <class Term>
std::vector<double> sum_over_k(const packed_matrix& w, const quantized_rows& x, Term term) {
  std::vector<double> out;
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t n = 0; n < w.rows; ++n) {
      double sum = 0.0;
      for (std::size_t k = 0; k < w.columns; ++k) sum += term(packed_weight(w, n, k) * activation(x, r, k));
      out.push_back(sum);
    }
  return out;
}

}  // namespace

double from_f16(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const double fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double packed_weight(const packed_matrix& w, std::size_t row, std::size_t k) {
  const std::size_t tile = row / packed_lanes;
  const std::size_t lane = row % packed_lanes;
  if (w.kind == packed_kind::f32)
    return reinterpret_cast<const float*>(w.codes)[(tile * w.columns + k) * packed_lanes + lane];
  const std::size_t at = (tile * (w.columns / w.group) + k / w.group) * packed_lanes + lane;
  return from_f16(w.scales[at]) * code_at(w, row, k) + from_f16(w.minimums[at]);
}

std::vector<double> matmul_quantized(const packed_matrix& w, const quantized_rows& x) {
  return sum_over_k(w, x, [](double product) { return product; });
}

std::vector<double> matmul_quantized_magnitude(const packed_matrix& w, const quantized_rows& x) {
  return sum_over_k(w, x, [](double product) { return std::abs(product); });
}

std::vector<double> matmul(std::span<const float> w, std::span<const float> x, std::size_t k,
                           bool magnitude) {
  std::vector<double> out;
  for (std::size_t r = 0; r < x.size() / k; ++r)
    for (std::size_t n = 0; n < w.size() / k; ++n) {
      double sum = 0.0;
      for (std::size_t i = 0; i < k; ++i) {
        const double product = static_cast<double>(w[n * k + i]) * x[r * k + i];
        sum += magnitude ? std::abs(product) : product;
      }
      out.push_back(sum);
    }
  return out;
}

}  // namespace neap::kernels::reference
