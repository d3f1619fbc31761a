#pragma once
// All temporary buffers of a step, in one region sized at load: nothing is allocated while a step runs.

#include "backends/cpu/mapped_memory.hpp"
#include "engine/model/model_config.hpp"
#include "kernels/kernel_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace neap::backend::cpu {

// Activations in the forms matrix products take: floats, or int8 in groups of 16 and of 32.
struct matrix_input {
  struct codes {
    std::int8_t* values = nullptr;
    float* scales = nullptr;
    float* sums = nullptr;
  };
  float* values = nullptr;           // [rows][columns]
  std::array<codes, 2> quantized{};  // groups of 16, of 32

  kernels::quantized_rows quantized_rows(std::uint32_t group, std::size_t rows,
                                         std::size_t columns) const noexcept;
};

// T = most tokens of a step. What products read or write has 2 T rows: the second half is for residuals (see
// input_rows).
struct activation_arena {
  mapped_memory memory;
  float* residual = nullptr;    // [T][hidden]
  matrix_input narrow;          // [2T][max(hidden, heads * head_size)]: norms and attention results
  matrix_input wide;            // [2T][feed_forward]: gated activations; its floats are `gate`
  float* query = nullptr;       // [2T][heads * head_size]
  float* key = nullptr;         // [2T][kv_heads * head_size]
  float* value = nullptr;       // [2T][kv_heads * head_size]
  float* up = nullptr;          // [2T][feed_forward]
  float* projected = nullptr;   // [2T][hidden]: what is added to the residual next
  std::array<float*, 2> cos{};  // [T][rotary / 2] of full-attention and of sliding-window layers
  std::array<float*, 2> sin{};
  float* logits = nullptr;  // [output_rows][vocabulary]

  // Rows whose logits are computed together.
  static constexpr std::size_t output_rows = 32;
};

// memory.data() is null where the system refuses.
activation_arena make_arena(const model::model_config& config, std::size_t tokens);

}  // namespace neap::backend::cpu
