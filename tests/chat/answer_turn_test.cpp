#include "server/chat/answer_turn.hpp"

#include "server/chat/local_backend.hpp"
#include "tests/support/fake_gateway.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

using namespace std::chrono_literals;

class AnswerTurn : public testing::Test {
 protected:
  result<answer_statistics> answer(const text_callback& on_text) {
    return answer_open_question(state, *backend, on_text, cancelled, [this] { ++fallbacks; });
  }
  result<answer_statistics> answer() {
    return answer([this](std::string_view text) {
      shown += text;
      return true;
    });
  }

  test::fake_gateway node;
  std::unique_ptr<chat_backend> backend = make_local_backend(node);
  chat_state state;
  std::atomic<bool> cancelled{false};
  std::string shown;
  int fallbacks = 0;
};

TEST_F(AnswerTurn, StreamsAndKeepsTheAnswer) {
  state.talk.ask("a");
  const auto statistics = answer();
  ASSERT_TRUE(statistics);
  EXPECT_FALSE(shown.empty());
  EXPECT_GT(statistics->total_s, 0);
  state.talk.ask("b");
  EXPECT_NE(state.talk.body(request_form::chat, "m", state.settings).find(shown), std::string::npos);
}

TEST_F(AnswerTurn, SendsTheSettings) {
  ASSERT_TRUE(state.settings.set("temperature", "0"));
  ASSERT_TRUE(state.settings.set("max_tokens", "5"));
  state.talk.ask("a");
  ASSERT_TRUE(answer());
  EXPECT_EQ(node.last_request().sampling.temperature, 0.0F);
  EXPECT_EQ(node.last_request().max_tokens, 5U);
}

TEST_F(AnswerTurn, AnErrorWithdrawsTheQuestion) {
  node.on_submit = [](auto&) {
    return test::failing_script({error_code::context_length_exceeded, "too long", {}});
  };
  state.talk.ask("a");
  const auto outcome = answer();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "too long");
  EXPECT_EQ(state.talk.turns(), 0U);
}

TEST_F(AnswerTurn, ACancelKeepsWhatCameAndReachesTheEngine) {
  node.on_submit = [](auto&) { return test::words_script({"one ", "two ", "three "}, 300ms); };
  state.talk.ask("a");
  const auto outcome = answer([this](std::string_view) {
    cancelled = true;
    return true;
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, error_code::cancelled);
  EXPECT_EQ(state.talk.turns(), 2U);
  EXPECT_TRUE(node.wait_cancelled(1, 5s));
}

TEST_F(AnswerTurn, ACancelBeforeTheFirstTextWithdrawsTheQuestion) {
  node.on_submit = [](auto&) { return test::words_script({"one "}, 10s); };
  state.talk.ask("a");
  cancelled = true;
  EXPECT_FALSE(answer());
  EXPECT_EQ(state.talk.turns(), 0U);
}

TEST_F(AnswerTurn, AReaderThatStopsCancels) {
  node.on_submit = [](auto&) { return test::words_script({"one ", "two "}, 100ms); };
  state.talk.ask("a");
  const auto outcome = answer([](std::string_view) { return false; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, error_code::cancelled);
}

TEST_F(AnswerTurn, WithoutATemplateTheTextIsCompleted) {
  node.on_submit = [](const generation_request& request) {
    const bool chat = std::holds_alternative<chat_prompt>(request.prompts[0]);
    return chat ? test::failing_script({error_code::template_missing, "no template", {}})
                : test::words_script({"more"});
  };
  state.talk.ask("a");
  ASSERT_TRUE(answer());
  state.talk.ask("b");
  ASSERT_TRUE(answer());
  EXPECT_EQ(fallbacks, 1);
  EXPECT_EQ(shown, "moremore");
  EXPECT_EQ(std::get<text_prompt>(node.last_request().prompts[0]).text, "a\nmore\nb");
}

TEST(Statistics, AreOneLine) {
  EXPECT_EQ(describe({12, 4, 31, 0.25, 1.25}),
            "12 prompt tokens (4 cached), 31 answer tokens, first token 0.25 s, 30.0 tokens/s, total 1.25 s");
}

}  // namespace
}  // namespace neap::chat
