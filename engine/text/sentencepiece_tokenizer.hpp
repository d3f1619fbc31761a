#pragma once

#include "engine/text/tokenizer_data.hpp"

namespace neap::text {

// SentencePiece's BPE kind (Kudo and Richardson 2018): characters are merged by the score of the merged
// piece; what is no piece falls back to byte tokens.
result<std::unique_ptr<tokenizer>> make_sentencepiece_tokenizer(const tokenizer_data& data);

}  // namespace neap::text
