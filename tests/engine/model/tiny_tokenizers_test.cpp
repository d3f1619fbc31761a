// The tokenizers of the tiny models load and give back any text.

#include "engine/text/tokenizer.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gtest/gtest.h>

namespace neap::test {
namespace {

std::unique_ptr<text::tokenizer> tokenizer_of(const std::string& architecture) {
  const temporary_file file{tiny_gguf({.architecture = architecture}).bytes()};
  const auto opened = model::gguf_file::open(file.path());
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return nullptr;
  }
  auto loaded = text::load_tokenizer(*opened);
  if (loaded) return std::move(*loaded);
  ADD_FAILURE() << loaded.error().message;
  return nullptr;
}

TEST(tiny_tokenizers, give_any_text_back) {
  for (const auto* architecture : {"llama", "qwen2", "gemma3"}) {
    const auto tokens = tokenizer_of(architecture);
    ASSERT_TRUE(tokens) << architecture;
    for (const std::string text : {"the thin man", "caf\xC3\xA9 \xF0\x9F\x98\x8A", "a\nb\t  c", "x"})
      EXPECT_EQ(tokens->decode(tokens->encode(text, false, false), false), text) << architecture;
  }
}

TEST(tiny_tokenizers, merge_and_know_their_control_tokens) {
  const auto bpe = tokenizer_of("llama");
  ASSERT_TRUE(bpe);
  EXPECT_EQ(bpe->encode("the", false, false).size(), 1U);
  EXPECT_EQ(bpe->encode("<|im_end|>", true, false), std::vector<token_id>{262});
  EXPECT_GT(bpe->encode("<|im_end|>", false, false).size(), 1U);
  const auto pieces = tokenizer_of("gemma3");
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->encode("the", false, true), (std::vector<token_id>{2, 265}));
}

}  // namespace
}  // namespace neap::test
