#pragma once
// A decoder written the obvious way: double precision, one matrix element at a time, all positions
// recomputed. Slow; for tiny models in tests.

#include "engine/model/model_file.hpp"

#include <span>
#include <vector>

namespace neap::test {

class naive_model {
 public:
  explicit naive_model(const model::model_file& file) : file_(file) {}

  // Logits after the last of `tokens`.
  std::vector<double> logits(std::span<const token_id> tokens) const;
  // Mean over the tokens of the final states after the output norm.
  std::vector<double> mean_hidden(std::span<const token_id> tokens) const;

 private:
  using row = std::vector<double>;

  std::vector<row> final_states(std::span<const token_id> tokens) const;
  row multiply(const model::gguf_tensor& matrix, const row& x) const;
  row normalised(const row& x, const model::gguf_tensor* weight) const;
  void normalise_heads(row& heads, const model::gguf_tensor* weight) const;
  void rotate(row& heads, std::size_t position, bool sliding) const;
  std::vector<row> attention(std::size_t layer, const std::vector<row>& x) const;
  row feed_forward(std::size_t layer, const row& x) const;

  const model::model_file& file_;
};

}  // namespace neap::test
