#include "backends/cpu/plan_check.hpp"

#include <string>
#include <unordered_set>

namespace neap::backend::cpu {
namespace {

class plan_checker {
 public:
  plan_checker(const batch_plan& plan, const cpu_model& model) : plan_(plan), model_(model) {}

  std::optional<error> check() {
    check_sequences();
    check_copies();
    std::uint64_t tokens = 0;
    std::uint64_t outputs = 0;
    for (const auto& row : plan_.rows) {
      if (!fault_.empty()) break;
      check_row(row);
      tokens += row.token_count;
      outputs += row.outputs != output_none ? 1 : 0;
    }
    require(tokens <= model_.options.max_batch_tokens, "more tokens than max_batch_tokens");
    require(outputs <= model_.options.max_rows, "more output rows than max_rows");
    if (fault_.empty()) return std::nullopt;
    return error{error_code::internal, "faulty batch plan " + std::to_string(plan_.step) + ": " + fault_, {}};
  }

 private:
  void require(bool condition, const char* fault) {
    if (!condition && fault_.empty()) fault_ = fault;
  }

  bool known(sequence_id id) const {
    return opened_.contains(id) || (model_.sequences.contains(id) && !ended_.contains(id));
  }

  void check_sequences() {
    for (const auto id : plan_.ends) {
      require(model_.sequences.contains(id), "end of an unknown sequence");
      require(ended_.insert(id).second, "two ends of one sequence");
    }
    for (const auto& start : plan_.starts) {
      require(!known(start.sequence), "start of an open sequence");
      require(start.adapter == -1, "unknown adapter");
      opened_.insert(start.sequence);
    }
    for (const auto& fork : plan_.forks) {
      require(known(fork.parent), "fork of an unknown sequence");
      require(!known(fork.child), "fork to an open sequence");
      opened_.insert(fork.child);
    }
  }

  void check_copies() {
    for (const auto& copy : plan_.copies)
      require(copy.from < model_.kv.blocks() && copy.to < model_.kv.blocks(),
              "copy of a block past the pool");
  }

  void check_row(const plan_row& row) {
    require(known(row.sequence), "row of an unknown sequence");
    require(rows_.insert(row.sequence).second, "two rows of one sequence");
    require(row.token_count >= 1, "row without tokens");
    require(std::uint64_t{row.token_begin} + row.token_count <= plan_.tokens.size(), "tokens past the plan");
    require(std::uint64_t{row.table_begin} + row.table_count <= plan_.block_tables.size(),
            "block table past the plan");
    const auto end = std::uint64_t{row.first_position} + row.token_count;
    require(end <= model_.config().context_length, "position past the context");
    require(end <= row.table_count * std::uint64_t{kernels::kv_block_tokens}, "block table too short");
    if (!fault_.empty()) return;
    for (std::uint32_t i = 0; i < row.table_count; ++i)
      require(plan_.block_tables[row.table_begin + i] < model_.kv.blocks(), "block past the pool");
    for (std::uint32_t i = 0; i < row.token_count; ++i) check_token(row, plan_.tokens[row.token_begin + i]);
  }

  void check_token(const plan_row& row, token_id token) {
    if (token != last_sampled_token) {
      require(token >= 0 && static_cast<std::uint32_t>(token) < model_.config().vocabulary,
              "token outside the vocabulary");
      return;
    }
    require(row.token_count == 1, "last sampled token in a longer row");
    require(has_sampled(row.sequence), "last sampled token before the first");
  }

  // A finished sequence is skipped, so it needs no token.
  bool has_sampled(sequence_id id) const {
    if (opened_.contains(id))
      for (const auto& fork : plan_.forks)
        if (fork.child == id) return has_sampled(fork.parent);
    if (opened_.contains(id)) return false;
    const auto found = model_.sequences.find(id);
    return found != model_.sequences.end() && (found->second.last_token() || found->second.finished());
  }

  const batch_plan& plan_;
  const cpu_model& model_;
  std::unordered_set<sequence_id> ended_;
  std::unordered_set<sequence_id> opened_;
  std::unordered_set<sequence_id> rows_;
  std::string fault_;
};

}  // namespace

std::optional<error> check_plan(const batch_plan& plan, const cpu_model& model) {
  return plan_checker(plan, model).check();
}

}  // namespace neap::backend::cpu
