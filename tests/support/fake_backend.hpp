#pragma once
// A device without a model: stores tokens where a real one stores keys and values, and "samples" a hash of
// what it finds through the block table. A plan that mixes up blocks, positions or tokens changes the answer.

#include "backends/backend.hpp"
#include "engine/decode/sequence_state.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace neap::test {

struct fake_limits {
  std::uint32_t vocabulary = 1000;
  std::uint32_t blocks = 64;
  std::uint32_t max_batch_tokens = 512;
  std::uint32_t max_rows = 64;
};

// The answer that the fake device gives to a prompt, computed without plans.
std::vector<token_id> fake_answer(std::span<const token_id> prompt, const sampling_params& sampling,
                                  const std::vector<token_id>& stop_token_ids, std::uint32_t max_tokens,
                                  std::uint32_t vocabulary = 1000);

// Its mean hidden state of a prompt.
std::vector<float> fake_embedding(std::span<const token_id> prompt);

class fake_backend final : public backend::backend {
 public:
  explicit fake_backend(const fake_limits& limits) : limits_(limits), cells_(limits.blocks) {}

  // Asked before each step; an error fails the step as a whole.
  std::function<std::optional<error>(const batch_plan&)> before_step;
  // One sampled token in so many is wrong, for controls; 0 = none.
  std::uint32_t wrong_token_every = 0;

  neap::backend::device_properties device() const override { return {"fake", "fake", "", 1, 0}; }
  result<neap::backend::model_index> load(const neap::backend::load_options&) override { return 0U; }
  void unload(neap::backend::model_index) override {}
  neap::backend::model_properties properties(neap::backend::model_index) const override;
  result<void> reserve_kv(neap::backend::model_index, std::uint32_t) override { return {}; }
  // A faulty plan is an error that names the fault, and is kept in faults().
  result<step_result> run(const batch_plan& plan) override;
  void reset(neap::backend::model_index) override { sequences_.clear(); }

  const std::vector<std::string>& faults() const noexcept { return faults_; }
  std::size_t open_sequences() const noexcept { return sequences_.size(); }
  std::uint64_t steps() const noexcept { return steps_; }
  // Rows computed of a sequence so far.
  std::uint64_t rows_of(sequence_id id) const;
  std::uint64_t prefill_steps() const noexcept { return prefill_steps_; }

 private:
  static constexpr std::uint32_t block_tokens = 16;
  static constexpr token_id unwritten = -1;
  struct cell_block {
    std::vector<token_id> tokens = std::vector<token_id>(block_tokens, unwritten);
  };

  std::string fault_of(const batch_plan& plan) const;
  std::string fault_of_row(const batch_plan& plan, const plan_row& row) const;
  void change_sequences(const batch_plan& plan);
  void write(const batch_plan& plan, const plan_row& row);
  std::vector<token_id> read(const batch_plan& plan, const plan_row& row) const;
  // The token at position p has the log-probability -p.
  void score_prompt(const plan_row& row, row_result& out) const;
  row_result run_row(const batch_plan& plan, const plan_row& row);

  fake_limits limits_;
  std::vector<cell_block> cells_;
  std::map<sequence_id, decode::sequence_state> sequences_;
  std::map<sequence_id, sampling_params> sampling_;
  std::map<sequence_id, token_vector_ptr> prompts_;
  std::map<sequence_id, std::uint64_t> rows_;
  std::vector<std::string> faults_;
  std::uint64_t steps_ = 0;
  std::uint64_t prefill_steps_ = 0;
  std::uint64_t sampled_ = 0;
};

}  // namespace neap::test
