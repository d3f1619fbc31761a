#include "engine/request/answer_text.hpp"

#include "engine/request/prompt_echo.hpp"
#include "tests/support/word_tokenizer.hpp"

#include <gtest/gtest.h>

namespace neap::request {
namespace {

token_logprobs scores_of(token_id token) { return {{token, -0.5F}, {{token, -0.5F}, {9, -1.0F}}}; }

std::string bytes_of(const std::vector<scored_token>& scores) {
  std::string out;
  for (const auto& each : scores) out += each.token.bytes;
  return out;
}

class answer_text_test : public testing::Test {
 protected:
  answer_text make(std::vector<std::string> stops = {}) { return {vocabulary, std::move(stops)}; }

  test::word_tokenizer vocabulary;
};

TEST_F(answer_text_test, scores_come_with_their_text) {
  auto text = make();
  auto out = text.push(20, scores_of(20));
  EXPECT_EQ(out.text, "w20 ");
  ASSERT_EQ(out.scores.size(), 1U);
  EXPECT_EQ(out.scores[0].token.bytes, "w20 ");
  EXPECT_FLOAT_EQ(*out.scores[0].token.logprob, -0.5F);
  EXPECT_EQ(out.scores[0].top[1].bytes, "w9 ");
  EXPECT_EQ(out.scores[0].text_offset, 0U);
  EXPECT_EQ(text.push(7, scores_of(7)).scores[0].text_offset, 4U);
}

TEST_F(answer_text_test, without_scores_there_are_none) {
  auto text = make();
  EXPECT_TRUE(text.push(20, std::nullopt).scores.empty());
  EXPECT_TRUE(text.finish().scores.empty());
}

// CASES C29: bytes of a part of a character, and offsets in characters.
TEST_F(answer_text_test, parts_of_a_character_wait_for_the_whole) {
  auto text = make();
  for (const token_id part : {1, 2, 3}) {
    const auto out = text.push(part, scores_of(part));
    EXPECT_EQ(out.text, "");
    EXPECT_TRUE(out.scores.empty());
  }
  const auto out = text.push(4, scores_of(4));
  EXPECT_EQ(out.text, "\U0001F600");
  ASSERT_EQ(out.scores.size(), 4U);
  EXPECT_EQ(bytes_of(out.scores), "\U0001F600");
  for (const auto& each : out.scores) EXPECT_EQ(each.text_offset, 0U);
  EXPECT_EQ(text.push(20, scores_of(20)).scores[0].text_offset, 1U) << "in characters, not bytes";
}

// CASES C42.
TEST_F(answer_text_test, a_limit_inside_a_character_releases_its_parts) {
  auto text = make();
  text.push(1, scores_of(1));
  const auto out = text.finish();
  EXPECT_EQ(out.text, "\uFFFD");
  EXPECT_EQ(bytes_of(out.scores), "\xF0");
}

TEST_F(answer_text_test, a_stop_string_holds_back_both_and_drops_both) {
  auto text = make({"1 w2"});
  EXPECT_EQ(text.push(20, scores_of(20)).scores.size(), 1U);
  auto out = text.push(31, scores_of(31));
  EXPECT_EQ(out.text, "w3");
  EXPECT_TRUE(out.scores.empty()) << "a part of its text may still be cut";
  out = text.push(22, scores_of(22));
  EXPECT_TRUE(out.matched);
  EXPECT_EQ(bytes_of(out.scores), "w31 ") << "cut, but a part of it is in the answer; w22 is not at all";
}

TEST_F(answer_text_test, what_a_stop_string_held_back_comes_when_it_does_not_match) {
  auto text = make({"1 w2"});
  text.push(31, scores_of(31));
  auto out = text.push(41, scores_of(41));
  EXPECT_EQ(out.text, "1 w4");
  EXPECT_EQ(bytes_of(out.scores), "w31 ");
  out = text.finish();
  EXPECT_EQ(out.text, "1 ");
  EXPECT_EQ(bytes_of(out.scores), "w41 ");
}

// The same text and scores however they come in pieces.
TEST_F(answer_text_test, all_scores_of_an_answer_add_up_to_its_text) {
  for (const std::string stop : {"zz", "w1", "0 w", "\U0001F600w"}) {
    auto text = make({stop});
    std::string all;
    std::vector<scored_token> scores;
    for (const token_id token : {20, 1, 2, 3, 4, 5, 100, 31, 1, 2, 3, 4}) {
      auto out = text.push(token, scores_of(token));
      all += out.text;
      scores.insert(scores.end(), out.scores.begin(), out.scores.end());
      if (out.matched) break;
      EXPECT_TRUE(bytes_of(scores).size() <= all.size()) << "no score before its text";
    }
    auto rest = text.finish();
    all += rest.text;
    scores.insert(scores.end(), rest.scores.begin(), rest.scores.end());
    EXPECT_TRUE(bytes_of(scores).starts_with(all)) << stop;
  }
}

TEST_F(answer_text_test, offsets_count_from_an_echoed_prompt) {
  auto text = make();
  text.set_prefix("h\u00e9llo");
  EXPECT_EQ(text.push(20, scores_of(20)).scores[0].text_offset, 5U);
}

TEST_F(answer_text_test, echo_tells_of_every_prompt_token) {
  const auto tokens = std::make_shared<const std::vector<token_id>>(std::vector<token_id>{5, 6, 7});
  prompt_echo echo(vocabulary, tokens, "w5 w6 w7 ", true);
  EXPECT_FALSE(echo.begun());
  EXPECT_TRUE(echo.begun());
  const auto first = echo.first();
  EXPECT_FALSE(first.token.logprob);
  EXPECT_EQ(first.token.bytes, "w5 ");
  EXPECT_EQ(echo.next(scores_of(6)).text_offset, 3U);
  EXPECT_EQ(echo.next(scores_of(7)).text_offset, 6U);
}

}  // namespace
}  // namespace neap::request
