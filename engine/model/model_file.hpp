#pragma once
// A GGUF file read as a decoder of one of the supported families: hyper-parameters and tensors by role.

#include "engine/model/gguf_file.hpp"
#include "engine/model/model_config.hpp"

#include <vector>

namespace neap::model {

// Tensors of one layer. Matrices are [out][in] row-major in GGUF terms: shape[0] = in, shape[1] = out. Null
// where the family or file has none.
struct layer_tensors {
  const gguf_tensor* attention_norm = nullptr;
  const gguf_tensor* query = nullptr;
  const gguf_tensor* key = nullptr;
  const gguf_tensor* value = nullptr;
  const gguf_tensor* output = nullptr;
  const gguf_tensor* query_bias = nullptr;  // qwen2
  const gguf_tensor* key_bias = nullptr;
  const gguf_tensor* value_bias = nullptr;
  const gguf_tensor* query_norm = nullptr;  // gemma3, per head
  const gguf_tensor* key_norm = nullptr;
  const gguf_tensor* post_attention_norm = nullptr;  // gemma3
  const gguf_tensor* feed_forward_norm = nullptr;
  const gguf_tensor* gate = nullptr;
  const gguf_tensor* up = nullptr;
  const gguf_tensor* down = nullptr;
  const gguf_tensor* post_feed_forward_norm = nullptr;  // gemma3
};

struct model_tensors {
  const gguf_tensor* embedding = nullptr;
  const gguf_tensor* output_norm = nullptr;
  const gguf_tensor* output = nullptr;        // the embedding itself where tied
  const gguf_tensor* rope_factors = nullptr;  // llama 3: rope_freqs.weight
  std::vector<layer_tensors> layers;
};

struct model_file {
  gguf_file file;
  model_config config;
  model_tensors tensors;
};

// Opens a file and checks that every tensor the family needs is present with the right shape. Errors name
// architecture, key or tensor: unsupported_model for other architectures, invalid_model_file for the rest.
result<model_file> open_model(const std::filesystem::path& path);

}  // namespace neap::model
