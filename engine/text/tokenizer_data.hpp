#pragma once
// The tokenizer part of a GGUF file as plain arrays, checked; views point into the file's mapping.

#include "engine/text/tokenizer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

// Values are GGUF's token types.
enum class token_type : std::int32_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct tokenizer_data {
  std::string kind;                       // "gpt2" (byte-level BPE) or "llama" (SentencePiece)
  std::string pre_tokenizer = "default";  // of byte-level BPE
  std::vector<std::string_view> tokens;
  std::vector<float> scores;             // SentencePiece; same length as tokens
  std::vector<token_type> types;         // same length as tokens
  std::vector<std::string_view> merges;  // "left right", best first
  std::optional<token_id> unknown;
  bool add_space_prefix = false;
  special_tokens special;

  // The token for bytes without one: the unknown token, but never a control token, which no text may become.
  // -1: none.
  token_id stand_in() const {
    if (!unknown || types[static_cast<std::size_t>(*unknown)] == token_type::control) return -1;
    return *unknown;
  }
};

// Reads and checks the keys tokenizer.ggml.*. Errors name the key.
result<tokenizer_data> read_tokenizer_data(const model::gguf_file& file);

// The tokenizer of checked data, which it copies. Errors: unsupported_model for unknown kinds and
// pre-tokenizers, invalid_model_file for merges of tokens that do not exist.
result<std::unique_ptr<tokenizer>> make_tokenizer(const tokenizer_data& data);

}  // namespace neap::text
