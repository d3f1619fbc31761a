#pragma once
// Splits text into the words that byte-level BPE merges inside, by the patterns of the published tokenizers.
// Letters and digits are those of the Unicode version in PCRE2 (14 in 10.42): characters newer than that
// count as signs.

#include "messages/result.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace neap::text {

// What one match may cost before it is given up.
struct pattern_limits {
  std::uint32_t steps = 20'000'000;  // backtracks
  std::uint32_t depth = 1'000;       // nested
  std::uint32_t heap_kib = 65'536;
};

// Immutable and safe to share between threads.
class pre_tokenizer {
 public:
  // Names as in tokenizer.ggml.pre: smollm, gpt-2, llama-bpe, qwen2, default, and other names of the same.
  // Error: unsupported_model naming it.
  static result<pre_tokenizer> make(std::string_view name, const pattern_limits& limits = {});

  pre_tokenizer(pre_tokenizer&&) noexcept;
  pre_tokenizer& operator=(pre_tokenizer&&) noexcept;
  ~pre_tokenizer();

  // Appends the words in order; together they are the text. Where a match hits a limit the rest of its piece
  // is one word. The text must be valid UTF-8. Linear time.
  void split(std::string_view text, std::vector<std::string_view>& words) const;

  // A word that is a token as a whole skips merging (llama 3).
  bool ignore_merges() const noexcept;

 private:
  struct patterns;
  explicit pre_tokenizer(std::unique_ptr<const patterns> compiled);
  std::unique_ptr<const patterns> patterns_;
};

}  // namespace neap::text
