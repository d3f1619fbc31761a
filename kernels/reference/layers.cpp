#include "kernels/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace neap::kernels::reference {

std::vector<double> rms_norm(std::span<const float> x, std::span<const float> weight, double eps) {
  double squares = 0.0;
  for (const double v : x) squares += v * v;
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + eps);
  std::vector<double> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] / root * weight[i]);
  return out;
}

std::vector<double> gated_activation(activation act, std::span<const float> gate, std::span<const float> up) {
  std::vector<double> out;
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double x = gate[i];
    const double u = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    const double y = act == activation::silu ? x / (1.0 + std::exp(-x)) : 0.5 * x * (1.0 + std::tanh(u));
    out.push_back(y * up[i]);
  }
  return out;
}

std::vector<double> attention(const sequence_kv& kv, std::span<const float> query, std::size_t first,
                              std::size_t position, double scale) {
  std::vector<double> scores;
  for (std::size_t p = first; p <= position; ++p) {
    double score = 0.0;
    for (std::size_t d = 0; d < kv.head_size; ++d)
      score += static_cast<double>(query[d]) * kv.keys[p * kv.head_size + d];
    scores.push_back(score * scale);
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  std::vector<double> out(kv.head_size, 0.0);
  double total = 0.0;
  for (std::size_t p = first; p <= position; ++p) {
    const double weight = std::exp(scores[p - first] - largest);
    total += weight;
    for (std::size_t d = 0; d < kv.head_size; ++d) out[d] += weight * kv.values[p * kv.head_size + d];
  }
  for (double& v : out) v /= total;
  return out;
}

}  // namespace neap::kernels::reference
