#pragma once
// The weights of one model as the kernels read them: matrices packed, vectors as floats.

#include "backends/backend.hpp"
#include "backends/cpu/mapped_memory.hpp"
#include "backends/cpu/worker_pool.hpp"
#include "engine/model/model_file.hpp"
#include "kernels/kernel_table.hpp"
#include "messages/result.hpp"

#include <functional>
#include <vector>

namespace neap::backend::cpu {

// Null pointers where the family has no such vector.
struct layer_weights {
  const float* attention_norm = nullptr;
  const float* query_bias = nullptr;
  const float* key_bias = nullptr;
  const float* value_bias = nullptr;
  const float* query_norm = nullptr;
  const float* key_norm = nullptr;
  const float* post_attention_norm = nullptr;
  const float* feed_forward_norm = nullptr;
  const float* post_feed_forward_norm = nullptr;
  kernels::packed_matrix query, key, value, output, gate, up, down;
};

struct model_weights {
  mapped_memory memory;
  std::vector<layer_weights> layers;
  const float* output_norm = nullptr;
  const float* rope_factors = nullptr;
  kernels::packed_matrix output;
  // Rows are gathered from the mapped file: a step reads a few of them only.
  const model::gguf_tensor* embedding = nullptr;
};

// Packs all weights with all threads of `pool` and releases the pages of the file as it goes. `progress` is
// called on the calling thread. Errors: out_of_memory.
result<model_weights> load_weights(const model::model_file& file, neap::backend::precision precision,
                                   worker_pool& pool, const std::function<void(double)>& progress);

}  // namespace neap::backend::cpu
