#pragma once

#include "engine/text/tokenizer_data.hpp"

namespace neap::text {

// Byte-level BPE (GPT-2): text is split into words, the bytes of a word are merged by rank. Errors:
// unsupported_model for an unknown pre-tokenizer, invalid_model_file for merges of tokens that do not exist.
result<std::unique_ptr<tokenizer>> make_bpe_tokenizer(const tokenizer_data& data);

}  // namespace neap::text
