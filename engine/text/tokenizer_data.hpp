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
};

// Reads and checks the keys tokenizer.ggml.*. Errors name the key.
result<tokenizer_data> read_tokenizer_data(const model::gguf_file& file);

// The tokenizer of checked data; the data's views must outlive it. Errors: unsupported_model for unknown
// kinds.
result<std::unique_ptr<tokenizer>> make_tokenizer(tokenizer_data data);

}  // namespace neap::text
