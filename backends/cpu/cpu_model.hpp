#pragma once
// One loaded model of the CPU backend and all state that steps use.

#include "backends/backend.hpp"
#include "backends/cpu/activation_arena.hpp"
#include "backends/cpu/kv_store.hpp"
#include "backends/cpu/model_weights.hpp"
#include "backends/cpu/rope_frequencies.hpp"
#include "backends/cpu/step_batch.hpp"
#include "engine/decode/selection.hpp"

#include <array>
#include <memory>
#include <vector>

namespace neap::backend::cpu {

struct cpu_model {
  load_options options;
  const kernels::kernel_table* kernels = nullptr;
  model_weights weights;
  std::array<rope_frequencies, 2> rope;  // of full-attention and of sliding-window layers
  activation_arena arena;
  kv_store kv;
  sequence_map sequences;
  step_batch batch;
  std::vector<decode::sampling_scratch> scratch;  // per thread

  const model::model_config& config() const noexcept { return options.model->config; }
};

}  // namespace neap::backend::cpu
