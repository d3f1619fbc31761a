#include "engine/text/special_matcher.hpp"

#include "tests/engine/text/tokenizer_builder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace neap::text {
namespace {

tokenizer_data markers() {
  return test::tokenizer_data_of("gpt2", {{"x"},
                                          {"<a>", token_type::control},
                                          {"<a>b", token_type::control},
                                          {"<a", token_type::user_defined},
                                          {"\n", token_type::user_defined},
                                          {"\n\n\n", token_type::user_defined},
                                          {"", token_type::control},
                                          {"\xFF\xFE", token_type::user_defined}});
}

token_id first(const std::vector<text_span>& spans) {
  const special_matcher matcher{markers()};
  return matcher.find(marked_text{spans}, 0).token;
}

TEST(SpecialMatcher, LongestAllowedWins) {
  EXPECT_EQ(first({{"x<a>b", true}}), 2);
  EXPECT_EQ(first({{"x<a>c", true}}), 1);
  EXPECT_EQ(first({{"x<a>b", false}}), 3);
  EXPECT_EQ(first({{"\n\n", false}}), 4);
  EXPECT_EQ(first({{"\n\n\n\n", false}}), 5);
  EXPECT_EQ(first({{"none", true}}), -1);
  EXPECT_EQ(first({{"", true}}), -1);
}

TEST(SpecialMatcher, ControlTokensEndInsideRealText) {
  EXPECT_EQ(first({{"<a>", true}, {"b", false}}), 1);
  EXPECT_EQ(first({{"<a>", true}, {"b", true}}), 2);
  EXPECT_EQ(first({{"<a", true}, {">", false}}), 3);
  EXPECT_EQ(first({{"<", false}, {"a>", true}}), 3);
  EXPECT_EQ(first({{"<", true}, {"", false}, {"a>", true}}), 1);
}

TEST(SpecialMatcher, FindsWhatASearchOfAllTokensFinds) {
  const auto data = markers();
  const special_matcher matcher{data};
  std::mt19937 random{51};
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += "<a>b\nx"[random() % 6];
    const bool real = random() % 2 == 0;
    const std::vector<text_span> spans{{text, real}};
    special_matcher::match expected;
    for (std::size_t at = 0; at < text.size() && expected.token < 0; ++at)
      for (std::size_t i = 0; i < data.tokens.size(); ++i) {
        const bool allowed =
            data.types[i] == token_type::user_defined || (real && data.types[i] == token_type::control);
        if (allowed && data.tokens[i].size() > expected.length && text.substr(at).starts_with(data.tokens[i]))
          expected = {at, data.tokens[i].size(), static_cast<token_id>(i)};
      }
    const auto found = matcher.find(marked_text{spans}, 0);
    ASSERT_EQ(found.token, expected.token) << text;
    ASSERT_EQ(found.position, expected.position) << text;
  }
}

}  // namespace
}  // namespace neap::text
