#include "tests/support/backend_harness.hpp"

#include "backends/backend_factory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace neap::test {

backend_harness::backend_harness(const std::string& path, const harness_options& options) {
  auto opened = model::open_model(path);
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return;
  }
  file_ = std::make_shared<const model::model_file>(std::move(*opened));
  load(options);
}

backend_harness::backend_harness(std::shared_ptr<const model::model_file> model,
                                 const harness_options& options)
    : file_(std::move(model)) {
  load(options);
}

void backend_harness::load(const harness_options& options) {
  auto device = backend::make_cpu_backend({options.threads, 0});
  ASSERT_TRUE(device) << device.error().message;
  device_ = std::move(*device);
  backend::load_options load;
  load.model = file_;
  load.precision = options.precision;
  load.kv_type = options.kv_type;
  load.max_batch_tokens = options.max_batch_tokens;
  load.max_rows = options.max_rows;
  auto index = device_->load(load);
  ASSERT_TRUE(index) << index.error().message;
  model_ = *index;
  auto reserved = device_->reserve_kv(model_, options.blocks);
  ASSERT_TRUE(reserved) << reserved.error().message;
  for (block_id block = options.blocks; block-- > 0;) free_.push_back(block);
  if (options.shuffle_seed != 0) std::shuffle(free_.begin(), free_.end(), std::mt19937(options.shuffle_seed));
}

block_id backend_harness::take() {
  if (free_.empty()) {
    ADD_FAILURE() << "the harness has no free block";
    return 0;
  }
  const auto block = free_.back();
  free_.pop_back();
  owners_[block] = 1;
  return block;
}

void backend_harness::release(block_id block) {
  if (--owners_[block] == 0) free_.push_back(block);
}

sequence_id backend_harness::open(const sampling_params& sampling, std::uint32_t max_tokens,
                                  std::vector<token_id> stop_token_ids) {
  sequence_start start;
  start.sequence = next_++;
  start.sampling = sampling;
  start.max_tokens = max_tokens;
  start.stop_token_ids = std::move(stop_token_ids);
  sequences_[start.sequence] = {};
  plan_.starts.push_back(std::move(start));
  return next_ - 1;
}

sequence_id backend_harness::fork(sequence_id parent, std::uint64_t seed) {
  const sequence_id child = next_++;
  auto blocks = sequences_.at(parent);
  const auto whole = blocks.length / kernels::kv_block_tokens;
  for (std::size_t i = 0; i < blocks.table.size(); ++i) {
    if (i < whole) {
      ++owners_[blocks.table[i]];
      continue;
    }
    const auto copy = take();
    plan_.copies.push_back({blocks.table[i], copy});
    blocks.table[i] = copy;
  }
  sequences_[child] = blocks;
  plan_.forks.push_back({parent, child, seed});
  return child;
}

void backend_harness::close(sequence_id sequence) {
  drop_blocks(sequence);
  sequences_.erase(sequence);
  plan_.ends.push_back(sequence);
}

void backend_harness::drop_blocks(sequence_id sequence) {
  auto& blocks = sequences_.at(sequence);
  for (const auto block : blocks.table) release(block);
  blocks = {};
}

void backend_harness::add(sequence_id sequence, std::span<const token_id> tokens, std::uint8_t outputs,
                          std::uint32_t sample_index) {
  auto& blocks = sequences_.at(sequence);
  plan_row row;
  row.sequence = sequence;
  row.first_position = blocks.length;
  row.token_begin = static_cast<std::uint32_t>(plan_.tokens.size());
  row.token_count = static_cast<std::uint32_t>(tokens.size());
  blocks.length += row.token_count;
  while (blocks.table.size() * kernels::kv_block_tokens < blocks.length) blocks.table.push_back(take());
  row.table_begin = static_cast<std::uint32_t>(plan_.block_tables.size());
  row.table_count = static_cast<std::uint32_t>(blocks.table.size());
  row.sample_index = sample_index;
  row.outputs = outputs;
  plan_.tokens.insert(plan_.tokens.end(), tokens.begin(), tokens.end());
  plan_.block_tables.insert(plan_.block_tables.end(), blocks.table.begin(), blocks.table.end());
  plan_.rows.push_back(row);
}

step_result backend_harness::run() {
  plan_.model = model_;
  auto plan = std::exchange(plan_, {});
  plan_.step = plan.step + 1;
  auto result = device_->run(plan);
  if (result) {
    EXPECT_EQ(result->rows.size(), plan.rows.size());
    return std::move(*result);
  }
  ADD_FAILURE() << result.error().message;
  step_result failed;
  failed.rows.resize(plan.rows.size());
  return failed;
}

std::vector<float> backend_harness::all_logits(sequence_id sequence, std::span<const token_id> tokens,
                                               std::size_t chunk) {
  std::vector<float> logits;
  for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
    add(sequence, tokens.subspan(begin, std::min(chunk, tokens.size() - begin)), output_all_logits);
    const auto part = run();
    logits.insert(logits.end(), part.rows[0].logits.begin(), part.rows[0].logits.end());
  }
  return logits;
}

std::vector<float> backend_harness::last_logits(sequence_id sequence, std::span<const token_id> tokens,
                                                std::size_t chunk) {
  std::vector<float> logits;
  for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
    const auto count = std::min(chunk, tokens.size() - begin);
    const bool last = begin + count == tokens.size();
    add(sequence, tokens.subspan(begin, count), last ? output_logits : output_none);
    logits = run().rows[0].logits;
  }
  return logits;
}

}  // namespace neap::test
