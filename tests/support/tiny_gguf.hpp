#pragma once
// A small but complete model of each family as a GGUF file: random weights, and a tokenizer whose vocabulary
// is the 256 bytes, a few longer pieces and control tokens.

#include "tests/support/gguf_writer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace neap::test {

struct tiny_gguf_options {
  std::string architecture = "llama";  // llama, qwen2 or gemma3
  std::uint32_t layers = 2;
  std::uint32_t hidden = 32;
  std::uint32_t heads = 2;
  std::uint32_t kv_heads = 1;
  std::uint32_t head_size = 16;
  std::uint32_t feed_forward = 64;
  std::uint32_t context_length = 128;
  bool tied = true;           // no output.weight: the embedding is used
  bool q8_0 = false;          // matrices as Q8_0, else F32
  std::uint32_t seed = 1;     // of the weights
  std::string chat_template;  // empty = none
};

// llama and qwen2 get a byte-level BPE tokenizer ("gpt2"), gemma3 a SentencePiece one ("llama").
gguf_writer tiny_gguf(const tiny_gguf_options& options = {});

// The pieces of the two vocabularies in the order of their ids.
std::vector<std::string> tiny_bpe_tokens();
std::vector<std::string> tiny_sentencepiece_tokens();

}  // namespace neap::test
