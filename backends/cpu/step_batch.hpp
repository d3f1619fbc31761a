#pragma once
// A batch plan unrolled to the rows that the forward pass computes: one per token.

#include "engine/decode/sequence_state.hpp"
#include "engine/model/model_config.hpp"
#include "kernels/kernel_table.hpp"
#include "messages/batch_plan.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace neap::backend::cpu {

using sequence_map = std::unordered_map<sequence_id, decode::sequence_state>;

struct token_row {
  token_id token = 0;
  std::uint32_t position = 0;
  const block_id* table = nullptr;
};

// Consecutive tokens of one sequence, attended to together.
struct query_group {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

// A token whose final state is wanted.
struct output_row {
  std::uint32_t token_row = 0;
  std::uint32_t plan_row = 0;
  std::uint32_t offset = 0;  // of the token within its plan row
  bool last = false;         // last token of its plan row
};

// A plan row whose final states are all wanted.
struct mean_row {
  std::uint32_t token_row = 0;  // its first token
  std::uint32_t plan_row = 0;
};

// The vectors keep their capacity from step to step.
struct step_batch {
  std::vector<token_row> tokens;
  std::vector<query_group> groups;
  std::vector<output_row> outputs;
  std::vector<mean_row> means;
  std::vector<std::uint8_t> skipped;  // per plan row

  void clear() noexcept;
};

// Unrolls the rows of `plan` whose sequences have not finished. Precondition: check_plan found no fault.
void unroll(const batch_plan& plan, const sequence_map& sequences, step_batch& batch);

}  // namespace neap::backend::cpu
