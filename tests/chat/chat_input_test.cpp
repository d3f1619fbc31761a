#include "server/chat/chat_input.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

TEST(InputAssembler, TakesOneLineAsItIs) {
  input_assembler lines;
  EXPECT_EQ(lines.feed("hello"), "hello");
  EXPECT_FALSE(lines.open());
}

TEST(InputAssembler, JoinsLinesThatEndWithABackslash) {
  input_assembler lines;
  EXPECT_EQ(lines.feed("a\\"), std::nullopt);
  EXPECT_TRUE(lines.open());
  EXPECT_EQ(lines.feed("b\\"), std::nullopt);
  EXPECT_EQ(lines.feed("c"), "a\nb\nc");
  EXPECT_FALSE(lines.open());
}

TEST(InputAssembler, JoinsLinesBetweenQuotes) {
  input_assembler lines;
  EXPECT_EQ(lines.feed("\"\"\""), std::nullopt);
  EXPECT_EQ(lines.feed("a\\"), std::nullopt);
  EXPECT_EQ(lines.feed(""), std::nullopt);
  EXPECT_EQ(lines.feed("b"), std::nullopt);
  EXPECT_EQ(lines.feed("\"\"\""), "a\\\n\nb");
  EXPECT_EQ(lines.feed("\"\"\"one line\"\"\""), "one line");
  EXPECT_EQ(lines.feed("next"), "next");
}

TEST(InputAssembler, ForgetsWhatWasBegun) {
  input_assembler lines;
  EXPECT_EQ(lines.feed("\"\"\"a"), std::nullopt);
  lines.reset();
  EXPECT_EQ(lines.feed("b"), "b");
}

TEST(Commands, HaveANameAndTheRest) {
  const auto command = parse_command("  /set temperature  0.7 ");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->name, "set");
  EXPECT_EQ(command->argument, "temperature  0.7");
  EXPECT_EQ(split_word(command->argument).argument, "0.7");
  EXPECT_EQ(parse_command("/exit")->argument, "");
}

TEST(Commands, AreNotQuestionsAndPaths) {
  for (const auto* text : {"what is /set?", "/", "", "/usr/bin is what?"})
    EXPECT_FALSE(parse_command(text)) << text;
}

}  // namespace
}  // namespace neap::chat
