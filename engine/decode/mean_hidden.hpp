#pragma once
// The mean of the hidden states of a sequence, added up one position at a time: the result does not depend on
// how the prompt was cut into chunks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neap::decode {

class mean_hidden {
 public:
  // Position 0 starts anew (a sequence that is computed again). Positions come in order.
  void add(std::uint32_t position, std::span<const float> hidden) {
    if (position == 0) sum_.assign(hidden.size(), 0.0);
    for (std::size_t i = 0; i < hidden.size(); ++i) sum_[i] += static_cast<double>(hidden[i]);
    count_ = position + 1;
  }

  // Writes the mean of all positions so far. Precondition: out has the size of a hidden state.
  void write(std::span<float> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(sum_[i] / count_);
  }

 private:
  std::vector<double> sum_;
  std::uint32_t count_ = 0;
};

}  // namespace neap::decode
