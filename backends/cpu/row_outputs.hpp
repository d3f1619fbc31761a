#pragma once
// From final states to results: output norm, logits, sampling, log-probabilities, means, for the rows that
// ask.

#include "backends/cpu/forward_pass.hpp"
#include "messages/step_result.hpp"

#include <span>
#include <vector>

namespace neap::backend::cpu {

class row_outputs {
 public:
  // `results` has one entry per plan row, with room for what the row asks for (see make_results).
  row_outputs(cpu_model& model, worker_pool& pool, forward_pass& forward, const batch_plan& plan,
              std::vector<row_result>& results);

  // Called by every thread of a job after forward_pass::run.
  void run(std::uint32_t rank);

 private:
  input_rows input(std::size_t count) const noexcept;
  void normalise(std::size_t first, std::size_t row, std::size_t count);
  void finish(const output_row& output, float* logits, std::uint32_t rank);
  void score_prompt(const output_row& output, std::span<const float> logits, std::uint32_t rank);
  void add_means(const mean_row& row);

  cpu_model& model_;
  worker_pool& pool_;
  forward_pass& forward_;
  const batch_plan& plan_;
  std::vector<row_result>& results_;
};

// One result per plan row, with vectors allocated.
std::vector<row_result> make_results(const batch_plan& plan, const cpu_model& model);

}  // namespace neap::backend::cpu
