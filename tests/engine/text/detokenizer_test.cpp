#include "engine/text/detokenizer.hpp"

#include "engine/text/utf8.hpp"
#include "tests/engine/text/random_text.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

// Byte tokens one at a time.
TEST(Detokenizer, JoinsCharactersSpreadOverBytes) {
  const std::string text =
      "\u010f\u00e1bel \U0001F469\u200D\U0001F469\u200D\U0001F467 \u65e5\u672c \u0928\u093f";
  detokenizer stream;
  std::string joined;
  for (const char byte : text) {
    const auto event = stream.push({&byte, 1});
    ASSERT_TRUE(is_valid_utf8(event));
    ASSERT_EQ(event.find(replacement_character), std::string::npos);
    joined += event;
  }
  EXPECT_EQ(joined + stream.finish(), text);
}

// The end inside a character.
TEST(Detokenizer, EndInsideACharacterGivesOneReplacement) {
  for (std::size_t bytes = 1; bytes <= 3; ++bytes) {
    detokenizer stream;
    EXPECT_EQ(stream.push(std::string_view{"\U0001F600"}.substr(0, bytes)), "");
    EXPECT_EQ(stream.finish(), replacement_character);
    EXPECT_EQ(stream.finish(), "");
  }
}

TEST(Detokenizer, SendsACharacterAsSoonAsItIsWhole) {
  detokenizer stream;
  EXPECT_EQ(stream.push("a\xE2\x82"), "a");
  EXPECT_EQ(stream.push("\xAC"), "\u20ac");
  EXPECT_EQ(stream.push("\xE2"), "");
  EXPECT_EQ(stream.push("b"), std::string{replacement_character} + "b");
}

TEST(Detokenizer, EverySplitInTwoGivesTheSameText) {
  for (const std::string text : {"na\u00efve \U0001F600\u65e5", "\xE0\x80\xF0\x9F\x98", "\xED\xA0\x80z\xC3",
                                 "\xF0\x90\xF0\x90\x80\xF4\x90"}) {
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      detokenizer stream;
      auto joined = stream.push(text.substr(0, cut));
      joined += stream.push(text.substr(cut));
      joined += stream.finish();
      EXPECT_EQ(joined, replace_invalid_utf8(text)) << quote(text, 40) << " at " << cut;
    }
  }
}

TEST(Detokenizer, AnyCutsOfAnyBytesGiveTheSameValidText) {
  std::mt19937 random{7};
  for (int round = 0; round < 5'000; ++round) {
    const auto bytes = round % 2 == 0 ? test::random_bytes(random, 30) : test::random_text(random, 20);
    detokenizer stream;
    std::string joined;
    for (const auto piece : test::random_cuts(random, bytes)) {
      const auto event = stream.push(piece);
      ASSERT_TRUE(is_valid_utf8(event));
      joined += event;
    }
    ASSERT_EQ(joined + stream.finish(), replace_invalid_utf8(bytes)) << quote(bytes, 100);
  }
}

}  // namespace
}  // namespace neap::text
