#pragma once
// A vocabulary of 1000 tokens that needs no model: token n reads "wn " (7: "w7 "), 0 ends an answer, 1-4 are
// the bytes of U+1F600. Text is encoded one token a byte, at 100 + byte.

#include "engine/text/tokenizer.hpp"

#include <array>
#include <string>
#include <vector>

namespace neap::test {

class word_tokenizer : public text::tokenizer {
 public:
  static constexpr token_id end = 0;

  word_tokenizer() {
    for (std::size_t i = 0; i < 1000; ++i) words_.push_back("w" + std::to_string(i) + " ");
    words_[0] = "<end>";
    const std::array<const char*, 4> emoji{"\xF0", "\x9F", "\x98", "\x80"};
    for (std::size_t i = 0; i < 4; ++i) words_[i + 1] = emoji[i];
    special_.eos = end;
    special_.end_of_generation = {end};
  }

  std::vector<token_id> encode(std::span<const text::text_span> spans) const override {
    std::vector<token_id> out;
    for (const auto& span : spans)
      for (const char c : span.text) out.push_back(100 + static_cast<unsigned char>(c));
    return out;
  }
  std::string_view token_bytes(token_id token, bool with_special) const override {
    if (token == end && !with_special) return {};
    return words_[static_cast<std::size_t>(token)];
  }
  std::size_t vocabulary_size() const noexcept override { return words_.size(); }
  const text::special_tokens& special() const noexcept override { return special_; }

 private:
  std::vector<std::string> words_;
  text::special_tokens special_;
};

}  // namespace neap::test
