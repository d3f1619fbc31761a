#pragma once
// One step of the model for a ragged batch: prefill chunks and decode steps side by side. Batcher ->
// executor.

#include "messages/ids.hpp"
#include "messages/sampling_params.hpp"
#include "messages/sequence_request.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace neap {

// Opens a sequence on the executor, which keeps its sampling state until the plan that ends it.
struct sequence_start {
  sequence_id sequence = 0;
  sampling_params sampling;
  std::vector<token_id> stop_token_ids;
  std::uint32_t max_tokens = 1;  // 0: nothing is sampled
  token_vector_ptr prompt;       // for the repetition penalty and for prompt_logprobs
  // Tokens of the answer that an earlier executor sampled: they count towards max_tokens and the penalties.
  std::vector<token_id> answer;
  std::int32_t adapter = -1;  // index of a loaded adapter, -1 = none
};

// Opens `child` as a copy of `parent`: same sampling history, block table shared by the batcher.
struct sequence_fork {
  sequence_id parent = 0;
  sequence_id child = 0;
  std::uint64_t seed = 0;
};

// KV content of block `from` is copied to `to` before the step computes (copy on write).
struct block_copy {
  block_id from = 0;
  block_id to = 0;
};

// What the executor returns for the last token of a row; a bit set.
enum row_output : std::uint8_t {
  output_none = 0,        // a prefill chunk that is not the last
  output_sample = 1,      // sample the next token
  output_logits = 2,      // all logits
  output_hidden = 4,      // final hidden state after the output norm
  output_all_logits = 8,  // logits of every token of the row, not only the last (perplexity, tests)
  // For each token of the row that is followed by a prompt token: the log-probabilities of that one.
  output_prompt_logprobs = 16,
  // Adds the final hidden states of all tokens of the row to the sequence's sum, which starts anew at
  // position 0; `hidden` is the mean so far. Rows of a sequence come in order of position.
  output_mean_hidden = 32,
};

// The share of one sequence in a step.
struct plan_row {
  sequence_id sequence = 0;
  std::uint32_t first_position = 0;  // position of its first token in the sequence
  std::uint32_t token_begin = 0;     // its tokens: plan.tokens[token_begin, token_begin + token_count)
  std::uint32_t token_count = 0;     // >= 1
  std::uint32_t table_begin =
      0;  // its block table: plan.block_tables[table_begin, table_begin + table_count),
  std::uint32_t table_count = 0;   // covering positions [0, first_position + token_count)
  std::uint32_t sample_index = 0;  // index in the answer of the token to sample: counter of the seeded RNG
  std::uint8_t outputs = output_none;
};

// Executed in this order: ends, starts, forks, copies, rows.
struct batch_plan {
  std::uint64_t step = 0;   // counts up by one for each plan of a batcher
  std::uint32_t model = 0;  // index of a model loaded on the executor
  std::vector<sequence_id> ends;
  std::vector<sequence_start> starts;
  std::vector<sequence_fork> forks;
  std::vector<block_copy> copies;
  std::vector<token_id> tokens;  // last_sampled_token allowed where token_count == 1
  std::vector<block_id> block_tables;
  std::vector<plan_row> rows;
};

using batch_plan_ptr = std::shared_ptr<const batch_plan>;

}  // namespace neap
