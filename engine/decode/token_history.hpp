#pragma once
// Which tokens a sequence has seen: what the penalties need.

#include "messages/ids.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace neap::decode {

class token_history {
 public:
  struct entry {
    bool in_prompt = false;
    std::uint32_t in_answer = 0;  // times generated
  };

  // Marks the tokens of the prompt as seen. Cost: linear.
  void add_prompt(std::span<const token_id> prompt);
  // Counts one generated token.
  void add_answer(token_id token);

  const std::unordered_map<token_id, entry>& entries() const noexcept { return entries_; }

 private:
  std::unordered_map<token_id, entry> entries_;
};

}  // namespace neap::decode
