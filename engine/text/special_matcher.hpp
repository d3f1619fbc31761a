#pragma once
// Finds user-defined tokens in raw text, and control tokens where markers are real: leftmost first, longest
// at the same place.

#include "engine/text/marked_text.hpp"
#include "engine/text/tokenizer_data.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

class special_matcher {
 public:
  // Copies the texts it needs.
  explicit special_matcher(const tokenizer_data& data);

  struct match {
    std::size_t position = std::string_view::npos;  // npos: none
    std::size_t length = 0;
    token_id token = -1;
  };

  // The first match at or after `from`. Cost: at each position as many binary searches as its bytes agree
  // with some token.
  match find(const marked_text& marked, std::size_t from) const;

 private:
  struct entry {
    std::string text;
    token_id token = -1;
    bool control = false;
  };
  match match_at(const marked_text& marked, std::size_t position) const;

  std::vector<entry> entries_;            // sorted by text
  std::array<std::size_t, 257> first_{};  // entries whose text begins with byte b: [first_[b], first_[b+1])
};

}  // namespace neap::text
