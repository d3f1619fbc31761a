#pragma once
// The decoder's layers over the token rows of one step.
//
// All threads of the pool run the same object together; work is shared out in phases. Rows are independent
// and every sum has a fixed order, so a token's values do not depend on the batch it is in. Neighbouring
// element-wise operations share a phase; ten phases a layer.

#include "backends/cpu/cpu_model.hpp"
#include "backends/cpu/worker_pool.hpp"

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace neap::backend::cpu {

// Which forms of its input a matrix product needs.
struct input_format {
  bool floats = false;
  bool group16 = false;
  bool group32 = false;

  void need(const kernels::packed_matrix& matrix) noexcept;
};

// Rows of activations that meet a matrix.
struct input_rows {
  const matrix_input* buffers = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool fine = false;  // 16-bit codes in every group, not only where outliers are
};

// Groups of activations whose largest value is above so many times the root mean square of their row keep 16
// bits (see kernels::quantized_rows), others 8.
//
// Layers of real models have a few channels far larger than the rest, and a group with one of those loses the
// others to rounding. With 8 bits everywhere that error grows from layer to layer until logits are off by
// 0.6. With a ratio of 4 every sixth group or so is fine, and logits of the tested models are off by 0.18 at
// most as long as attention, where small errors weigh most, has 16 bits throughout (with 4 there too: 0.29).
inline constexpr float outlier_ratio = 4.0F;

// One product of a phase that runs several on the same input.
struct product {
  const kernels::packed_matrix* matrix = nullptr;
  float* out = nullptr;  // [rows][matrix->rows]
};

class forward_pass {
 public:
  // Reads model.batch; writes the KV cache and model.arena.
  forward_pass(cpu_model& model, worker_pool& pool);

  // Called by every thread of a job. Leaves each token's state in arena.residual.
  void run();

  // Phase: products of all rows of `input`.
  void multiply(std::initializer_list<product> products, const input_rows& input);

  // Quantises a row of `input` of which `values` holds the floats.
  void quantize(const input_rows& input, input_format format, std::size_t row) const;

 private:
  void embed(std::size_t row) const;
  void add_projection(std::size_t row, const float* post_norm) const;
  void normalise(std::size_t row, const float* norm, input_format format, bool fine) const;
  void attention_input(std::size_t layer);
  void rotate_and_store(std::size_t layer);
  void head_norms(float* heads, std::size_t count, const float* norm) const;
  void attend(std::size_t layer);
  void quantize_phase(const kernels::packed_matrix& next, const input_rows& input);
  void attend_group(std::size_t layer, const query_group& group, std::size_t kv_head);
  void feed_forward_input(std::size_t layer);
  void gated(std::size_t layer);
  void gated_tiles(std::size_t layer, std::size_t begin, std::size_t end);
  void tiles_of(const product& each, const input_rows& input, std::size_t begin, std::size_t end) const;
  input_rows hidden_rows() const noexcept;
  input_rows attention_rows() const noexcept;
  input_rows gated_rows() const noexcept;
  std::size_t row_grain() const noexcept;

  cpu_model& model_;
  const model::model_config& config_;
  const kernels::kernel_table& kernels_;
  activation_arena& arena_;
  const step_batch& batch_;
  worker_pool& pool_;
  std::size_t rows_;
};

}  // namespace neap::backend::cpu
