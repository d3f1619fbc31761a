#include "engine/request/prompt_encoder.hpp"

#include "tests/support/word_tokenizer.hpp"

#include <gtest/gtest.h>

namespace neap::request {
namespace {

json_value conversation(const std::string& content) {
  json_value message{
      json_object{{"role", json_value{std::string{"user"}}}, {"content", json_value{content}}}};
  return json_value{json_array{std::move(message)}};
}

prompt_encoder encoder(const char* chat = nullptr) {
  std::shared_ptr<const text::chat_template> parsed;
  if (chat != nullptr) {
    auto made = text::chat_template::parse(chat);
    EXPECT_TRUE(made);
    parsed = std::make_shared<const text::chat_template>(std::move(*made));
  }
  return {std::make_shared<const test::word_tokenizer>(), parsed, [] { return std::int64_t{0}; }};
}

TEST(prompt_encoder, encodes_text) {
  const auto out = encoder().encode(text_prompt{"ab"});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->tokens, (std::vector<token_id>{197, 198}));
  EXPECT_EQ(out->text, "ab");
}

// The longest token of this vocabulary has five bytes: 20 tokens of context hold at most 100.
TEST(prompt_encoder, refuses_texts_that_cannot_fit_before_they_cost_time) {
  auto chat = text::chat_template::parse("{% for m in messages %}{{ m.content }}{% endfor %}");
  ASSERT_TRUE(chat);
  const prompt_encoder small{std::make_shared<const test::word_tokenizer>(),
                             std::make_shared<const text::chat_template>(std::move(*chat)),
                             [] { return std::int64_t{0}; }, 20};
  EXPECT_TRUE(small.encode(text_prompt{std::string(100, ' ')}));
  EXPECT_TRUE(small.encode(chat_prompt{conversation(std::string(100, ' ')), {}, {}, true}));
  const std::vector<std::pair<prompt, std::string>> wrong{
      {text_prompt{std::string(101, ' ')}, "prompt"},
      {chat_prompt{conversation(std::string(101, ' ')), {}, {}, true}, "messages"}};
  for (const auto& [source, field] : wrong) {
    const auto out = small.encode(source);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, error_code::context_length_exceeded);
    EXPECT_EQ(out.error().param, field);
    EXPECT_NE(out.error().message.find("101"), std::string::npos) << out.error().message;
    EXPECT_NE(out.error().message.find("20 tokens"), std::string::npos);
  }
  EXPECT_FALSE(small.tokens_of(text_prompt{std::string(101, ' ')}));
}

TEST(prompt_encoder, takes_ids_of_the_vocabulary_only) {
  EXPECT_EQ(encoder().encode(token_prompt{{0, 999}})->tokens, (std::vector<token_id>{0, 999}));
  for (const auto wrong : {-1, 1000, 2'147'483'647}) {
    const auto out = encoder().encode(token_prompt{{5, wrong}});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, error_code::invalid_request);
    EXPECT_NE(out.error().message.find(std::to_string(wrong)), std::string::npos);
  }
}

TEST(prompt_encoder, refuses_an_empty_prompt_where_the_model_has_no_start_token) {
  for (const prompt& empty : {prompt{text_prompt{""}}, prompt{token_prompt{}}}) {
    const auto out = encoder().encode(empty);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, error_code::invalid_request);
  }
}

TEST(prompt_encoder, renders_a_conversation) {
  const auto out = encoder("{% for m in messages %}{{ m.role }}:{{ m.content }}{% endfor %}")
                       .encode(chat_prompt{conversation("hi"), {}, {}, true});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->text, "user:hi");
  EXPECT_EQ(out->tokens.size(), 7U);
}

TEST(prompt_encoder, says_that_a_template_is_missing_or_refuses) {
  const chat_prompt chat{conversation("hi"), {}, {}, true};
  const auto missing = encoder().encode(chat);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, error_code::template_missing);
  const auto refused = encoder("{{ raise_exception('no system role') }}").encode(chat);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, error_code::template_refused);
  EXPECT_NE(refused.error().message.find("no system role"), std::string::npos);
}

TEST(prompt_encoder, decodes_to_valid_text_always) {
  EXPECT_EQ(*encoder().decode({7, 1, 2, 3, 4, 0}), "w7 \U0001F600<end>");
  EXPECT_EQ(*encoder().decode({1, 2}), "\uFFFD");
  EXPECT_EQ(*encoder().decode({}), "");
  EXPECT_FALSE(encoder().decode({1000}));
}

}  // namespace
}  // namespace neap::request
