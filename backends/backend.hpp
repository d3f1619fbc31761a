#pragma once
// What an executor actor knows about a device. Nothing above this header knows which backend runs. A backend
// has its own threads, knows no CAF, and is driven by one thread at a time (the executor's), except where a
// function says otherwise.

#include "engine/model/model_file.hpp"
#include "kernels/kernel_table.hpp"
#include "messages/batch_plan.hpp"
#include "messages/result.hpp"
#include "messages/step_result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace neap::backend {

enum class precision : std::uint8_t {
  // Weights stay as the file has them; activations in groups of 8-bit codes, with 16 bits for groups with
  // outliers and in attention; norms and softmax in float.
  quantized,
  quantized_fine,  // the same with 16-bit codes throughout: slower, for error reports
  float32,         // weights dequantised to float, float arithmetic: for references and error reports
};

struct device_properties {
  std::string kind;           // "cpu", "cuda"
  std::string name;           // "AMD EPYC ...", "NVIDIA H200"
  std::string instructions;   // "avx512", "sm_90"
  std::uint32_t threads = 0;  // compute threads (CPU) or multiprocessors
  std::size_t memory_bytes = 0;
};

struct load_options {
  std::shared_ptr<const model::model_file> model;
  backend::precision precision = precision::quantized;
  kernels::kv_type kv_type = kernels::kv_type::f16;
  std::uint32_t max_batch_tokens = 512;  // most tokens of one plan: sizes the activation arena
  std::uint32_t max_rows = 64;           // most rows of one plan that ask for an output
  // Called now and then with the share done, 0..1, on the loading thread. May be empty.
  std::function<void(double)> progress;
};

struct model_properties {
  std::uint32_t vocabulary = 0;
  std::uint32_t hidden = 0;
  std::uint32_t layers = 0;
  std::uint32_t context_length = 0;
  std::size_t weight_bytes = 0;    // resident after loading
  std::size_t arena_bytes = 0;     // activations and temporary buffers, allocated once at load
  std::size_t kv_block_bytes = 0;  // of one block of kv_block_tokens positions, all layers
  std::uint32_t kv_blocks = 0;     // allocated by reserve_kv
};

using model_index = std::uint32_t;

class backend {
 public:
  virtual ~backend() = default;

  virtual device_properties device() const = 0;

  // Brings a model to the device, next to those already there. Slow (up to seconds). Errors: out_of_memory,
  // unsupported_model.
  virtual result<model_index> load(const load_options& options) = 0;
  virtual void unload(model_index model) = 0;
  virtual model_properties properties(model_index model) const = 0;

  // Gives the model a pool of KV blocks (address space; pages are touched on first use). Once per model,
  // before run().
  virtual result<void> reserve_kv(model_index model, std::uint32_t blocks) = 0;

  // Runs one step: ends, starts, forks, copies, rows, in this order. Blocking. Sampling, stop tokens and
  // max_tokens are decided here, so a row of a sequence that ended in an earlier step is skipped, not
  // computed. A row with a non-finite logit fails that sequence alone (finish_reason::failed). Errors mean
  // that nothing of the step counts.
  virtual result<step_result> run(const batch_plan& plan) = 0;

  // Forgets all open sequences of a model (after its batcher restarted).
  virtual void reset(model_index model) = 0;
};

}  // namespace neap::backend
