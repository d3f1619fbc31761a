#pragma once

#include "engine/model/gguf_file.hpp"
#include "engine/model/model_config.hpp"

namespace neap::model {

// Hyper-parameters of a supported family from GGUF metadata, range-checked. Errors name the architecture
// (unsupported_model) or the key (invalid_model_file).
result<model_config> read_config(const gguf_file& file);

}  // namespace neap::model
