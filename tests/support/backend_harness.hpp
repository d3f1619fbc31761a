#pragma once
// Drives a backend with batch plans directly: opens sequences, hands out KV blocks, cuts prompts into chunks.

#include "backends/backend.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace neap::test {

struct harness_options {
  std::uint32_t threads = 2;
  backend::precision precision = backend::precision::quantized;
  kernels::kv_type kv_type = kernels::kv_type::f16;
  std::uint32_t max_batch_tokens = 512;
  std::uint32_t max_rows = 64;
  std::uint32_t blocks = 256;
  std::uint32_t shuffle_seed = 0;  // order in which blocks are handed out; 0 = ascending
};

class backend_harness {
 public:
  // Loads the model file. Fails the test (and later calls) if anything goes wrong.
  backend_harness(const std::string& path, const harness_options& options);
  backend_harness(std::shared_ptr<const model::model_file> model, const harness_options& options);

  backend::backend& device() { return *device_; }
  backend::model_index model() const { return model_; }
  const model::model_config& config() const { return file_->config; }

  // Adds to the next plan.
  sequence_id open(const sampling_params& sampling = {}, std::uint32_t max_tokens = 1000000,
                   std::vector<token_id> stop_token_ids = {});
  sequence_id fork(sequence_id parent, std::uint64_t seed);
  void close(sequence_id sequence);
  void add(sequence_id sequence, std::span<const token_id> tokens, std::uint8_t outputs,
           std::uint32_t sample_index = 0);

  // Runs the plan built so far.
  step_result run();
  const batch_plan& plan() const { return plan_; }
  batch_plan& plan() { return plan_; }

  // Feeds tokens in chunks of `chunk`; logits of every token, [tokens][vocabulary].
  std::vector<float> all_logits(sequence_id sequence, std::span<const token_id> tokens, std::size_t chunk);
  // Feeds tokens in chunks; logits after the last.
  std::vector<float> last_logits(sequence_id sequence, std::span<const token_id> tokens, std::size_t chunk);
  // Forgets KV content and position of a sequence, as preemption does; its sampling state stays.
  void drop_blocks(sequence_id sequence);

  std::size_t free_blocks() const { return free_.size(); }

 private:
  struct sequence_blocks {
    std::uint32_t length = 0;
    std::vector<block_id> table;
  };

  void load(const harness_options& options);
  block_id take();
  void release(block_id block);

  std::shared_ptr<const model::model_file> file_;
  std::unique_ptr<backend::backend> device_;
  backend::model_index model_ = 0;
  std::map<sequence_id, sequence_blocks> sequences_;
  std::vector<block_id> free_;
  std::map<block_id, int> owners_;
  sequence_id next_ = 1;
  batch_plan plan_;
};

}  // namespace neap::test
