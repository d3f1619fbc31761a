#include "tests/engine/text/tokenizer_builder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace neap::text {
namespace {

using ids = std::vector<token_id>;
using test::make;
using test::test_token;
using test::tokenizer_data_of;

const std::vector<test_token> pieces{{"<unk>", token_type::unknown},
                                     {"<s>", token_type::control},
                                     {"a", token_type::normal, -5},
                                     {"b", token_type::normal, -6},
                                     {"ab", token_type::normal, -1},
                                     {"ba", token_type::normal, -2},
                                     {"\u2581", token_type::normal, -7},
                                     {"\u2581a", token_type::normal, -3},
                                     {"<0xC3>", token_type::byte},
                                     {"<0xA9>", token_type::byte},
                                     {"  ", token_type::user_defined, -1000},
                                     {"<img>", token_type::user_defined, -1000},
                                     {"aba", token_type::normal, -9}};

tokenizer_data data_with_prefix(bool prefix) {
  auto data = tokenizer_data_of("llama", pieces);
  data.add_space_prefix = prefix;
  data.unknown = 0;
  return data;
}

TEST(SentencepieceTokenizer, HighestScoreMergesFirst) {
  const auto tokens = make(data_with_prefix(false));
  EXPECT_EQ(tokens->encode("ab", false, false), ids{4});
  EXPECT_EQ(tokens->encode("aba", false, false), ids{12});
  EXPECT_EQ(tokens->encode("bab", false, false), (ids{3, 4}));
  EXPECT_EQ(tokens->encode("a a", false, false), (ids{2, 7}));
  EXPECT_EQ(tokens->encode("", false, false), ids{});
}

TEST(SentencepieceTokenizer, FallsBackToBytesThenToTheUnknownToken) {
  const auto tokens = make(data_with_prefix(false));
  EXPECT_EQ(tokens->encode("a\u00e9", false, false), (ids{2, 8, 9}));
  EXPECT_EQ(tokens->decode(ids{2, 8, 9}, false), "a\u00e9");
  EXPECT_EQ(tokens->encode("az", false, false), (ids{2, 0}));
}

TEST(SentencepieceTokenizer, UserDefinedPiecesComeFirstAndStayWhole) {
  const auto tokens = make(data_with_prefix(false));
  EXPECT_EQ(tokens->encode("a  a", false, false), (ids{2, 10, 2}));
  EXPECT_EQ(tokens->encode("a   a", false, false), (ids{2, 10, 7}));
  EXPECT_EQ(tokens->encode("<img>a", false, false), (ids{11, 2}));
  EXPECT_EQ(tokens->decode(ids{2, 10, 7}, false), "a   a");
}

TEST(SentencepieceTokenizer, TypedNamesOfByteAndControlTokensAreText) {
  auto data = data_with_prefix(false);
  for (const std::string_view text :
       {"<", "s", ">", "<s", "0", "x", "A", "9", "<0", "<0x", "<0xA", "<0xA9"}) {
    data.tokens.push_back(text);
    data.types.push_back(token_type::normal);
    data.scores.push_back(-20);
  }
  const auto tokens = make(data);
  EXPECT_EQ(tokens->encode("<s>", false, false), (ids{16, 15}));
  EXPECT_EQ(tokens->encode("<s>", true, false), ids{1});
  EXPECT_EQ(tokens->encode("<0xA9>", false, false), (ids{24, 15}));
}

TEST(SentencepieceTokenizer, SpacePrefixComesAtTheStartAndAfterControlTokens) {
  const auto tokens = make(data_with_prefix(true));
  EXPECT_EQ(tokens->encode("a", false, false), ids{7});
  EXPECT_EQ(tokens->encode("<s>a<s>b", true, false), (ids{1, 7, 1, 6, 3}));
  EXPECT_EQ(tokens->encode("<img>a", false, false), (ids{6, 11, 2}));  // none after a user-defined piece
  EXPECT_EQ(tokens->encode("", false, false), ids{});
  EXPECT_EQ(tokens->encode("<s>", true, false), ids{1});
}

TEST(SentencepieceTokenizer, SpacePrefixIsGivenOncePerTextNotPerSpan) {
  const auto tokens = make(data_with_prefix(true));
  const std::vector<text_span> spans{{"a", true}, {"b", false}, {"", true}, {"a", false}};
  EXPECT_EQ(tokens->encode(spans), tokens->encode("aba", false, false));
}

TEST(SentencepieceTokenizer, DecodingTakesTheSpacePrefixOff) {
  const auto tokens = make(data_with_prefix(true));
  for (const std::string text :
       {"a", " a", "  a", "a b", "<img>a", "<s>a<s>b", "<s> a", "<s><img>", " ", "  ", "\u00e9"})
    EXPECT_EQ(tokens->decode(tokens->encode(text, true, false), true), text) << text;
}

// The textbook loop: join the leftmost pair with the best score until none is a piece.
ids naive_merge(const std::vector<test_token>& vocabulary, const std::string& text) {
  const auto find = [&](const std::string& piece) {
    for (std::size_t i = 0; i < vocabulary.size(); ++i)
      if (vocabulary[i].text == piece) return static_cast<token_id>(i);
    return -1;
  };
  std::vector<std::string> parts;
  for (const char c : text) parts.emplace_back(1, c);
  for (;;) {
    token_id best = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto id = find(parts[i] + parts[i + 1]);
      const auto score = [&](token_id token) { return vocabulary[static_cast<std::size_t>(token)].score; };
      if (id >= 0 && (best < 0 || score(id) > score(best))) best = id, at = i;
    }
    if (best < 0) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  ids out;
  for (const auto& part : parts) out.push_back(find(part));
  return out;
}

TEST(SentencepieceTokenizer, MergesAsTheTextbookLoop) {
  std::mt19937 random{41};
  std::vector<test_token> vocabulary{{"a"},   {"b"},   {"c"},  {"aa"},  {"ab"},   {"bc"},
                                     {"aab"}, {"abc"}, {"cc"}, {"bcc"}, {"aaaa"}, {"ccab"}};
  for (int round = 0; round < 300; ++round) {
    for (auto& token : vocabulary) token.score = -static_cast<float>(random() % 6);  // with ties
    const auto tokens = make(tokenizer_data_of("llama", vocabulary));
    std::string text;
    for (auto n = 1 + random() % 30; n > 0; --n) text += static_cast<char>('a' + random() % 3);
    ASSERT_EQ(tokens->encode(text, false, false), naive_merge(vocabulary, text)) << text;
  }
}

}  // namespace
}  // namespace neap::text
