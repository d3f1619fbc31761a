#include "engine/text/text_stream.hpp"

#include "engine/text/utf8.hpp"
#include "tests/engine/text/tokenizer_builder.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

// What the stream sends for some tokens, in order.
std::string push_all(text_stream& stream, std::initializer_list<token_id> tokens) {
  std::string sent;
  for (const auto token : tokens) sent += stream.push(token).text;
  return sent;
}

// Bytes of U+1F600 as tokens 0-3, then words and a control token.
std::unique_ptr<tokenizer> emoji_tokens() {
  return test::make(test::tokenizer_data_of("llama", {{"<0xF0>", token_type::byte},
                                                      {"<0x9F>", token_type::byte},
                                                      {"<0x98>", token_type::byte},
                                                      {"<0x80>", token_type::byte},
                                                      {"one"},
                                                      {"\u2581two"},
                                                      {"\u2581three"},
                                                      {"<end>", token_type::control},
                                                      {"\u00e9"}}));
}

TEST(TextStream, GivesCharactersWhenTheyAreWhole) {
  const auto tokens = emoji_tokens();
  text_stream stream{*tokens, {}};
  EXPECT_EQ(stream.push(4).text, "one");
  EXPECT_EQ(push_all(stream, {0, 1, 2}), "");
  EXPECT_EQ(stream.push(3).text, "\U0001F600");
  EXPECT_EQ(stream.push(7).text, "");  // control tokens are no text
  EXPECT_EQ(stream.finish().text, "");
}

TEST(TextStream, StopsInsideATokenAndAcrossTokens) {
  const auto tokens = emoji_tokens();
  text_stream stream{*tokens, {"o th"}};
  EXPECT_EQ(stream.push(5).text, " tw");
  const auto last = stream.push(6);
  EXPECT_TRUE(last.matched);
  EXPECT_EQ(last.text, "");
  EXPECT_EQ(stream.push(4).text, "");
  EXPECT_EQ(stream.finish().text, "");
}

TEST(TextStream, AnEmojiOfByteTokensStops) {
  const auto tokens = emoji_tokens();
  text_stream stream{*tokens, {"\U0001F600"}};
  EXPECT_EQ(stream.push(4).text, "one");
  for (const token_id byte : {0, 1, 2}) EXPECT_FALSE(stream.push(byte).matched);
  EXPECT_TRUE(stream.push(3).matched);
}

// Every length of a cut emoji ends in valid text.
TEST(TextStream, EndInsideACharacter) {
  const auto tokens = emoji_tokens();
  for (token_id count = 1; count <= 3; ++count) {
    text_stream stream{*tokens, {}};
    std::string text;
    for (token_id byte = 0; byte < count; ++byte) text += stream.push(byte).text;
    EXPECT_EQ(text + stream.finish().text, replacement_character);
  }
}

TEST(TextStream, FinishReleasesAnOpenStop) {
  const auto tokens = emoji_tokens();
  text_stream stream{*tokens, {"one two three four"}};
  EXPECT_EQ(push_all(stream, {4, 5}), "");
  const auto rest = stream.finish();
  EXPECT_EQ(rest.text, "one two");
  EXPECT_FALSE(rest.matched);
}

TEST(TextStream, AStopCompletedByTheLastReplacementMatches) {
  const auto tokens = emoji_tokens();
  text_stream stream{*tokens, {"e\uFFFD"}};
  EXPECT_EQ(push_all(stream, {4, 0}), "on");
  EXPECT_TRUE(stream.finish().matched);
}

// An abandoned stream that holds text leaves nothing to the next one.
TEST(TextStream, StateIsPerSequence) {
  const auto tokens = emoji_tokens();
  {
    text_stream aborted{*tokens, {"one two three"}};
    aborted.push(4);
    aborted.push(0);
  }
  text_stream next{*tokens, {"one two three"}};
  EXPECT_EQ(next.push(8).text, "\u00e9");
  EXPECT_EQ(next.finish().text, "");
}

}  // namespace
}  // namespace neap::text
