#include "engine/text/pre_tokenizer.hpp"

#include "tests/engine/text/random_text.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

using words = std::vector<std::string_view>;

words split(std::string_view name, std::string_view text, const pattern_limits& limits = {}) {
  const auto made = pre_tokenizer::make(name, limits);
  if (!made) throw std::runtime_error(made.error().message);
  words out;
  made->split(text, out);
  return out;
}

TEST(PreTokenizer, Gpt2) {
  EXPECT_EQ(split("gpt-2", "it's  12 big, cats\n\n x"),
            (words{"it", "'s", " ", " 12", " big", ",", " cats", "\n\n", " x"}));
  EXPECT_EQ(split("gpt-2", "IT'S"), (words{"IT", "'", "S"}));
  EXPECT_EQ(split("gpt-2", "trailing  "), (words{"trailing", "  "}));
}

TEST(PreTokenizer, SmollmSplitsDigitsFirst) {
  EXPECT_EQ(split("smollm", "a1b 23  4"), (words{"a", "1", "b", " ", "2", "3", "  ", "4"}));
  EXPECT_EQ(split("smollm", "\u00bd\u2167\u0967"), (words{"\u00bd", "\u2167", "\u0967"}));
}

TEST(PreTokenizer, LlamaBpe) {
  EXPECT_EQ(split("llama-bpe", "12345 x"), (words{"123", "45", " x"}));
  EXPECT_EQ(split("llama-bpe", "IT'S (ok)\r\n\r\n  y"),
            (words{"IT", "'S", " (", "ok", ")\r\n\r\n", " ", " y"}));
  EXPECT_EQ(split("llama-bpe", "a   \n\n  b"), (words{"a", "   \n\n", " ", " b"}));
  EXPECT_EQ(split("llama-bpe", "\tword"), (words{"\tword"}));
}

TEST(PreTokenizer, Qwen2) {
  EXPECT_EQ(split("qwen2", "12 x"), (words{"1", "2", " x"}));
  EXPECT_EQ(split("qwen2", "we'LL"), (words{"we", "'LL"}));
}

TEST(PreTokenizer, Default) {
  EXPECT_EQ(split("default", "a+b 12345"), (words{"a", "+", "b", " ", "123", "45"}));
  EXPECT_EQ(split("default", "Hi, you"), (words{"Hi", ",", " you"}));
}

// Unicode's White_Space, also where the regex engine's own idea differs (U+180E).
TEST(PreTokenizer, BlanksAreUnicodeWhiteSpace) {
  for (const char32_t blank : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x200A, 0x2028,
                               0x2029, 0x202F, 0x205F, 0x3000}) {
    const auto text = test::to_utf8(blank) + "!";
    EXPECT_EQ(split("gpt-2", text).size(), blank == 0x20 ? 1U : 2U) << static_cast<std::uint32_t>(blank);
  }
  for (const char32_t other : {0x180E, 0x200B, 0x2060, 0xFEFF, 0x1C})
    EXPECT_EQ(split("gpt-2", test::to_utf8(other) + "!").size(), 1U) << static_cast<std::uint32_t>(other);
}

TEST(PreTokenizer, OtherNamesOfTheSame) {
  for (const auto& [other, name] :
       std::vector<std::pair<const char*, const char*>>{{"llama3", "llama-bpe"},
                                                        {"llama-v3", "llama-bpe"},
                                                        {"deepseek-r1-qwen", "qwen2"},
                                                        {"gpt2", "gpt-2"},
                                                        {"", "default"}})
    EXPECT_EQ(split(other, "we'll 1234, a+b  x"), split(name, "we'll 1234, a+b  x")) << other;
  EXPECT_TRUE(pre_tokenizer::make("llama3")->ignore_merges());
  EXPECT_FALSE(pre_tokenizer::make("qwen2")->ignore_merges());
}

TEST(PreTokenizer, UnknownNamesAreRefusedByName) {
  for (const std::string name : {"Qwen2", "tekken", "gpt-2 "}) {
    const auto made = pre_tokenizer::make(name);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, error_code::unsupported_model);
    EXPECT_NE(made.error().message.find("'" + name + "'"), std::string::npos);
  }
}

class EveryPreTokenizer : public testing::TestWithParam<const char*> {};

TEST_P(EveryPreTokenizer, WordsAreTheTextAndNoneIsEmpty) {
  std::mt19937 random{61};
  for (int round = 0; round < 300; ++round) {
    const auto text = test::random_text(random, 100);
    std::string joined;
    for (const auto word : split(GetParam(), text)) {
      ASSERT_FALSE(word.empty());
      joined += word;
    }
    ASSERT_EQ(joined, text);
  }
}

// Limits far too small for any match: longer words, the same text, no error.
TEST_P(EveryPreTokenizer, LimitsOnlyMakeLongerWords) {
  std::mt19937 random{62};
  for (int round = 0; round < 100; ++round) {
    const auto text = test::random_text(random, 100) + std::string(500, ' ') + "x";
    std::string joined;
    for (const auto word : split(GetParam(), text, {.steps = 1, .depth = 1, .heap_kib = 0})) joined += word;
    ASSERT_EQ(joined, text);
  }
}

INSTANTIATE_TEST_SUITE_P(Names, EveryPreTokenizer,
                         testing::Values("smollm", "gpt-2", "llama-bpe", "qwen2", "default"));

}  // namespace
}  // namespace neap::text
