#include "server/chat/conversation.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

const std::string end = R"(,"stream":true,"stream_options":{"include_usage":true}})";

std::string messages(const conversation& talk) { return talk.body(request_form::chat, "m", chat_settings{}); }

TEST(Conversation, WritesTheTurnsAsMessages) {
  conversation talk;
  talk.set_system("S");
  talk.ask("a \"q\"");
  talk.answer("b");
  talk.ask("c");
  EXPECT_EQ(messages(talk),
            R"({"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"a \"q\""},)"
            R"({"role":"assistant","content":"b"},{"role":"user","content":"c"}])" +
                end);
}

TEST(Conversation, WithdrawsAndReopensQuestions) {
  conversation talk;
  EXPECT_FALSE(talk.reopen());
  talk.ask("a");
  talk.withdraw();
  EXPECT_EQ(talk.turns(), 0U);
  talk.ask("b");
  talk.answer("c");
  EXPECT_TRUE(talk.reopen());
  EXPECT_EQ(talk.turns(), 1U);
  EXPECT_NE(messages(talk).find(R"([{"role":"user","content":"b"}])"), std::string::npos);
}

TEST(Conversation, ForgetsTurnsButNotTheSystemPrompt) {
  conversation talk;
  talk.set_system("S");
  talk.ask("a");
  talk.answer("b");
  talk.clear();
  talk.ask("c");
  EXPECT_NE(messages(talk).find(R"("S"},{"role":"user","content":"c"}])"), std::string::npos);
}

TEST(Conversation, IsPlainTextForModelsWithoutATemplate) {
  conversation talk;
  talk.ask("a");
  talk.answer("b");
  talk.ask("c");
  chat_settings settings;
  EXPECT_EQ(talk.body(request_form::completion, "m", settings),
            R"({"model":"m","prompt":"a\nb\nc","max_tokens":256)" + end);
  ASSERT_TRUE(settings.set("max_tokens", "5"));
  EXPECT_EQ(talk.body(request_form::completion, "m", settings),
            R"({"model":"m","prompt":"a\nb\nc","max_tokens":5)" + end);
}

}  // namespace
}  // namespace neap::chat
