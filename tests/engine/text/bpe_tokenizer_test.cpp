#include "engine/text/byte_alphabet.hpp"
#include "tests/engine/text/random_text.hpp"
#include "tests/engine/text/tokenizer_builder.hpp"

#include <gtest/gtest.h>

#include <array>

namespace neap::text {
namespace {

using ids = std::vector<token_id>;
using test::make;
using test::tokenizer_data_of;

tokenizer_data letters(const std::string& pre) {
  auto data = tokenizer_data_of("gpt2", {{"a"},
                                         {"b"},
                                         {"c"},
                                         {"ab"},
                                         {"bc"},
                                         {"abc"},
                                         {"\u0120"},
                                         {"\u0120a"},
                                         {"<|end|>", token_type::control},
                                         {"<tool>", token_type::user_defined},
                                         {"abcabc"}});
  data.pre_tokenizer = pre;
  data.merges = {"b c", "a b", "a bc", "\u0120 a"};
  return data;
}

TEST(BpeTokenizer, LowestRankMergesFirst) {
  const auto tokens = make(letters("gpt-2"));
  EXPECT_EQ(tokens->encode("abc", false, false), ids{5});  // b c, then a bc; "ab c" has no rule
  EXPECT_EQ(tokens->encode("abab", false, false), (ids{3, 3}));
  EXPECT_EQ(tokens->encode("a a", false, false), (ids{0, 7}));
  EXPECT_EQ(tokens->decode(ids{0, 7}, false), "a a");
}

TEST(BpeTokenizer, WholeWordsSkipMergingOnlyForLlamaBpe) {
  EXPECT_EQ(make(letters("llama-bpe"))->encode("abcabc", false, false), ids{10});
  EXPECT_EQ(make(letters("gpt-2"))->encode("abcabc", false, false), (ids{5, 5}));
}

TEST(BpeTokenizer, UserDefinedTokensAlwaysMatchAndControlTokensOnlyWhereReal) {
  const auto tokens = make(letters("gpt-2"));
  EXPECT_EQ(tokens->encode("a<tool>b", false, false), (ids{0, 9, 1}));
  EXPECT_EQ(tokens->encode("a<|end|>b", true, false), (ids{0, 8, 1}));
  EXPECT_EQ(tokens->encode("a<|end|>c", false, false), (ids{0, 2}));  // its signs have no byte tokens here
  EXPECT_EQ(tokens->decode(ids{0, 8, 1}, false), "ab");
  EXPECT_EQ(tokens->decode(ids{0, 8, 1}, true), "a<|end|>b");
}

// "abc" here is a control token: neither merging nor a whole-word match may produce it.
TEST(BpeTokenizer, TextCannotMergeIntoAControlToken) {
  auto data = letters("llama-bpe");
  data.types[5] = token_type::control;
  EXPECT_EQ(make(data)->encode("abc", false, false), (ids{0, 4}));
  EXPECT_EQ(make(data)->encode("abc", true, false), ids{5});
}

TEST(BpeTokenizer, MissingBytesBecomeTheUnknownTokenUnlessItIsAControlToken) {
  auto data = letters("gpt-2");
  data.tokens.push_back("<unk>");
  data.types.push_back(token_type::unknown);
  data.unknown = 11;
  EXPECT_EQ(make(data)->encode("azb", false, false), (ids{0, 11, 1}));
  data.unknown = 8;
  EXPECT_EQ(make(data)->encode("azb", false, false), ids{3});  // dropped before merging, as the originals do
}

TEST(BpeTokenizer, UnusedTokensShowNoText) {
  auto data = letters("gpt-2");
  data.types[10] = token_type::unused;
  EXPECT_EQ(make(data)->decode(ids{0, 10, 1}, false), "ab");
}

TEST(ByteAlphabet, IsABijectionOfAllBytes) {
  const byte_alphabet alphabet;
  std::string written, back;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto character = alphabet.character(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(character.find(' '), std::string::npos);
    written += character;
  }
  alphabet.decode(written, back);
  ASSERT_EQ(back.size(), 256U);
  for (unsigned byte = 0; byte < 256; ++byte) EXPECT_EQ(static_cast<unsigned char>(back[byte]), byte);
  EXPECT_EQ(alphabet.character(' '), "\u0120");
  EXPECT_EQ(alphabet.character('\n'), "\u010A");
}

TEST(ByteAlphabet, OtherCharactersStay) {
  std::string out;
  byte_alphabet{}.decode("a\uFF5C\U0001F600\u2581\xC4", out);
  EXPECT_EQ(out, "a\uFF5C\U0001F600\u2581\xC4");
}

// The textbook loop: join the leftmost pair of the lowest rank until none is left.
ids naive_merge(const tokenizer_data& data, const std::string& word) {
  std::vector<std::string> parts;
  for (const char c : word) parts.emplace_back(1, c);
  for (;;) {
    std::size_t best = data.merges.size(), at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      for (std::size_t rank = 0; rank < best; ++rank)
        if (data.merges[rank] == parts[i] + " " + parts[i + 1]) best = rank, at = i;
    if (best == data.merges.size()) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  ids out;
  for (const auto& part : parts)
    out.push_back(
        static_cast<token_id>(std::find(data.tokens.begin(), data.tokens.end(), part) - data.tokens.begin()));
  return out;
}

TEST(BpeTokenizer, MergesAsTheTextbookLoop) {
  constexpr std::array<std::string_view, 10> rules{"a a",   "b c",   "aa a", "a b",  "c c",
                                                   "aa aa", "bc cc", "ab c", "aa b", "cc a"};
  std::mt19937 random{31};
  for (int round = 0; round < 300; ++round) {
    auto data = tokenizer_data_of("gpt2", {{"a"},
                                           {"b"},
                                           {"c"},
                                           {"aa"},
                                           {"bc"},
                                           {"aaa"},
                                           {"ab"},
                                           {"cc"},
                                           {"aaaa"},
                                           {"bccc"},
                                           {"abc"},
                                           {"aab"},
                                           {"cca"}});
    data.merges.assign(rules.begin(), rules.end());
    std::shuffle(data.merges.begin(), data.merges.end(), random);
    const auto tokens = make(data);
    std::string word;
    for (auto n = 1 + random() % 30; n > 0; --n) word += static_cast<char>('a' + random() % 3);
    ASSERT_EQ(tokens->encode(word, false, false), naive_merge(data, word)) << word;
  }
}

}  // namespace
}  // namespace neap::text
