#pragma once
// Finds user-defined tokens in raw text, and control tokens where markers are real: leftmost first, longest
// at the same place.

#include "engine/text/marked_text.hpp"
#include "engine/text/tokenizer_data.hpp"

#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neap::text {

class special_matcher {
 public:
  explicit special_matcher(const tokenizer_data& data);

  struct match {
    std::size_t position = std::string_view::npos;  // npos: none
    std::size_t length = 0;
    token_id token = -1;
  };

  // The first match at or after `from`. Cost: a hash look-up per candidate length at positions whose byte
  // starts a token.
  match find(const marked_text& marked, std::size_t from) const;

 private:
  struct entry {
    token_id token = -1;
    bool control = false;
  };
  void add(std::string_view text, entry value);
  match match_at(const marked_text& marked, std::size_t position) const;

  std::unordered_map<std::string_view, entry> entries_;
  std::array<std::vector<std::size_t>, 256> lengths_;  // by first byte, longest first
};

}  // namespace neap::text
