#include "engine/decode/token_history.hpp"

namespace neap::decode {

void token_history::add_prompt(std::span<const token_id> prompt) {
  for (const auto token : prompt) entries_[token].in_prompt = true;
}

void token_history::add_answer(token_id token) { ++entries_[token].in_answer; }

}  // namespace neap::decode
