#pragma once
// One running Neap node: model, backend, tokenizer and all actors, behind the gateway. The implementation
// (server/compose/) is the composition root: the only place that reads options, spawns actors, chooses
// `detached`, and wires handles. No CAF and no Beast in this header.

#include "backends/backend.hpp"
#include "messages/gateway.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace neap::server {

struct node_options {
  // Model.
  std::filesystem::path model_path;
  std::string served_model_name;             // empty: file name without extension
  std::filesystem::path chat_template_path;  // empty: the file's own
  backend::precision precision = backend::precision::quantized;
  kernels::kv_type kv_type = kernels::kv_type::f16;
  std::string device = "auto";  // auto, cpu, cuda
  std::uint32_t threads = 0;    // compute threads, 0 = all cores
  // Batching (flag words follow vLLM).
  std::uint32_t max_model_len = 0;             // 0: the model's own context length
  std::uint32_t max_num_seqs = 64;             // sequences that run at once
  std::uint32_t max_num_batched_tokens = 512;  // tokens of one step
  std::chrono::milliseconds batch_window{75};  // FAST_GROUP window where waiting can help
  std::uint32_t max_queue = 512;               // waiting sequences; more are refused with 503
  std::uint32_t max_completion_tokens =
      1024;  // default cap of one answer; requests may ask for less or more
             // up to the context, the cap applies where they do not say
  // Memory.
  std::size_t kv_cache_max_bytes = 0;  // 0: a quarter of memory, at most what max_num_seqs contexts need
  // Actor system.
  std::chrono::milliseconds step_limit{30000};  // a longer step makes the node not ready; 0 = no limit
  std::string scheduler_policy = "sharing";
  std::uint32_t scheduler_threads = 2;

  friend bool operator==(const node_options&, const node_options&) = default;
};

struct load_progress {
  std::string stage;  // "open", "tokenizer", "weights", "memory", "warm-up"
  double share = 0;   // 0..1 of the stage
};

class node {
 public:
  virtual ~node() = default;  // stops all actors; blocks until they ended

  virtual neap::gateway& gateway() = 0;

  // Refuses new requests (readiness draining) and returns once all running ones ended or `limit` passed,
  // whereupon the rest end with an error event. Blocks; true if all ended by themselves.
  virtual bool drain(std::chrono::milliseconds limit) = 0;
};

// What a node tells its process; called on an actor's thread, must not block. All may be empty.
struct node_hooks {
  std::function<void(const std::string&)> log;       // a line for each crashed actor
  std::function<void(const std::string&)> on_fatal;  // why the node cannot go on: the process must end
  std::function<void(const std::string&)> request_log;  // a line for each request that ended
  // Puts something between the executor and its device: for fault injection.
  std::function<std::shared_ptr<backend::backend>(std::shared_ptr<backend::backend>)> wrap_device;
};

// Loads the model and starts all actors. Blocks until ready to serve. Errors are one line that says what to
// do.
result<std::unique_ptr<node>> start_node(const node_options& options,
                                         const std::function<void(const load_progress&)>& progress,
                                         const node_hooks& hooks = {});

}  // namespace neap::server
