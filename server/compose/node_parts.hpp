#pragma once
// What a node is made of before actors exist: model, tokenizer, template, device, memory plan.

#include "backends/backend.hpp"
#include "engine/memory/memory_zones.hpp"
#include "engine/request/prompt_encoder.hpp"
#include "server/node.hpp"

#include <functional>
#include <memory>

namespace neap::server {

using progress_callback = std::function<void(const load_progress&)>;

struct node_parts {
  std::shared_ptr<const model::model_file> model;
  std::shared_ptr<const text::tokenizer> vocabulary;
  std::shared_ptr<const request::prompt_encoder> encoder;
  std::shared_ptr<backend::backend> device;
  backend::model_index index = 0;
  backend::model_properties properties;
  memory::memory_zones zones;
  std::uint32_t context_length = 0;
  served_model served;
};

// Most tokens of one step: every running sequence has room for one.
std::uint32_t step_tokens(const node_options& options) noexcept;

// Loads everything and runs one token through the model. Errors are one line that says what to do.
result<node_parts> load_parts(const node_options& options, const progress_callback& progress);

}  // namespace neap::server
