#pragma once
// All temporary buffers of a step, in one region sized at load: nothing is allocated while a step runs.

#include "backends/cpu/mapped_memory.hpp"
#include "engine/model/model_config.hpp"
#include "kernels/kernel_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace neap::backend::cpu {

// Activations in the forms matrix products take: floats, or codes in groups of 16 and of 32.
struct matrix_input {
  float* values = nullptr;                            // [rows][columns]
  std::array<kernels::quantized_row, 2> quantized{};  // groups of 16, of 32: the first row

  kernels::quantized_row quantized_row(std::uint32_t group, std::size_t row,
                                       std::size_t columns) const noexcept;
  kernels::quantized_rows quantized_rows(std::uint32_t group, std::size_t rows,
                                         std::size_t columns) const noexcept;
};

// T = most tokens of a step.
struct activation_arena {
  mapped_memory memory;
  float* residual = nullptr;    // [T][hidden]
  matrix_input narrow;          // [T][max(hidden, heads * head_size)]: norms and attention results
  matrix_input wide;            // [T][feed_forward]: gated activations; its floats are `gate`
  float* query = nullptr;       // [T][heads * head_size]
  float* key = nullptr;         // [T][kv_heads * head_size]
  float* value = nullptr;       // [T][kv_heads * head_size]
  float* up = nullptr;          // [T][feed_forward]
  float* projected = nullptr;   // [T][hidden]: what is added to the residual next
  std::array<float*, 2> cos{};  // [T][rotary / 2] of full-attention and of sliding-window layers
  std::array<float*, 2> sin{};
  float* logits = nullptr;  // [output_rows][vocabulary]

  // Rows whose logits are computed together.
  static constexpr std::size_t output_rows = 32;
};

// memory.data() is null where the system refuses.
activation_arena make_arena(const model::model_config& config, std::size_t tokens);

}  // namespace neap::backend::cpu
