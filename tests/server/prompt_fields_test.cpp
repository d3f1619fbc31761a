// Prompts and messages.

#include "server/api/json_writer.hpp"
#include "tests/server/request_helpers.hpp"

#include <gtest/gtest.h>

namespace neap::api {
namespace {

std::string messages_of(const std::string& messages) {
  const auto parsed = parse_with(endpoint::chat, "\"messages\":" + messages);
  if (!parsed) return "error " + parsed.error().param;
  return to_json(std::get<chat_prompt>(parsed->generation.prompts.front()).messages);
}

std::vector<prompt> prompts_of(const std::string& value, const std::string& more = "") {
  auto parsed = parse_with(endpoint::completions, "\"prompt\":" + value + more);
  EXPECT_TRUE(parsed) << value << parsed.error().message;
  return parsed ? parsed->generation.prompts : std::vector<prompt>{};
}

TEST(prompt_fields, four_forms) {
  EXPECT_EQ(std::get<text_prompt>(prompts_of(R"("abc")")[0]).text, "abc");
  const auto texts = prompts_of(R"(["a","b","c"])");
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(std::get<text_prompt>(texts[2]).text, "c");
  const auto tokens = prompts_of("[1,2,999]");
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(std::get<token_prompt>(tokens[0]).tokens, (std::vector<token_id>{1, 2, 999}));
  const auto lists = prompts_of("[[1],[2,3]]");
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(std::get<token_prompt>(lists[1]).tokens, (std::vector<token_id>{2, 3}));
}

TEST(prompt_fields, special_switches) {
  const auto plain = std::get<text_prompt>(prompts_of(R"("a")")[0]);
  EXPECT_FALSE(plain.parse_special);
  EXPECT_TRUE(plain.add_special_tokens);
  const auto set =
      std::get<text_prompt>(prompts_of(R"(["a"])", R"(,"parse_special":true,"add_special_tokens":false)")[0]);
  EXPECT_TRUE(set.parse_special);
  EXPECT_FALSE(set.add_special_tokens);
}

// CASES C13: the engine decides on an empty text (it may start from BOS), empty lists are refused here.
TEST(prompt_fields, empty_forms) {
  EXPECT_EQ(std::get<text_prompt>(prompts_of(R"("")")[0]).text, "");
  EXPECT_EQ(std::get<text_prompt>(prompts_of(R"([""])")[0]).text, "");
  for (const auto* value : {"[]", "[[]]", "[[1],[]]", "null"}) {
    const auto parsed = parse_with(endpoint::completions, std::string("\"prompt\":") + value);
    ASSERT_FALSE(parsed) << value;
    EXPECT_EQ(parsed.error().param, "prompt");
  }
}

TEST(prompt_fields, wrong_forms) {
  for (const auto* value : {"7", "{}", "true", "[1,\"a\"]", "[\"a\",1]", "[[1],\"a\"]", "[\"a\",[1]]",
                            "[null]", "[-1]", "[1000]", "[1.5]", "[[1,1000]]", "[[[1]]]", "[{}]"}) {
    const auto parsed = parse_with(endpoint::completions, std::string("\"prompt\":") + value);
    ASSERT_FALSE(parsed) << value;
    EXPECT_EQ(parsed.error().code, error_code::invalid_request);
    EXPECT_EQ(parsed.error().param, "prompt");
  }
}

TEST(prompt_fields, prompt_is_required) {
  const auto parsed = parse_request(endpoint::completions, "{}", test_context());
  EXPECT_EQ(parsed.error().param, "prompt");
  const auto chat = parse_request(endpoint::chat, "{}", test_context());
  EXPECT_EQ(chat.error().param, "messages");
}

// CASES C17: parts and the joined string are the same prompt, in every role.
TEST(chat_fields, content_parts_join) {
  for (const std::string role : {"user", "system", "assistant"}) {
    const auto message = [&](const std::string& content) {
      return messages_of(R"([{"role":")" + role + R"(","content":)" + content + "}]");
    };
    EXPECT_EQ(message(R"([{"type":"text","text":"He"},{"type":"text","text":"llo"}])"),
              message(R"("Hello")"));
  }
  EXPECT_EQ(messages_of(R"([{"role":"user","content":[{"type":"image_url","image_url":{}}]}])"),
            "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":[]}])"), "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":[{"type":"text"}]}])"), "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":["text"]}])"), "error messages[0].content");
}

TEST(chat_fields, roles) {
  EXPECT_EQ(messages_of(R"([{"role":"developer","content":"x"}])"), R"([{"role":"system","content":"x"}])");
  EXPECT_EQ(messages_of(R"([{"role":"tool","content":"4","tool_call_id":"c1"}])"),
            R"([{"role":"tool","content":"4","tool_call_id":"c1"}])");
  for (const auto* bad :
       {R"([{"role":"wizard","content":"x"}])", R"([{"role":7,"content":"x"}])", R"([{"content":"x"}])"}) {
    EXPECT_EQ(messages_of(bad), "error messages[0].role");
  }
}

TEST(chat_fields, wrong_messages) {
  EXPECT_EQ(messages_of("[]"), "error messages");
  EXPECT_EQ(messages_of("{}"), "error messages");
  EXPECT_EQ(messages_of("[7]"), "error messages[0]");
  EXPECT_EQ(messages_of(R"([{"role":"user"}])"), "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":null}])"), "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"assistant"}])"), "error messages[0].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":"a"},{"role":"user","content":7}])"),
            "error messages[1].content");
  EXPECT_EQ(messages_of(R"([{"role":"user","content":""}])"), R"([{"role":"user","content":""}])");
}

TEST(chat_fields, tool_calls_pass_with_native_arguments) {
  EXPECT_EQ(
      messages_of(R"([{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
        "function":{"name":"f","arguments":"{\"x\": 1}"}}]}])"),
      R"([{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":{"x":1}}}]}])");
  EXPECT_EQ(messages_of(R"([{"role":"assistant","tool_calls":[{"function":{}}]}])"),
            "error messages[0].tool_calls");
}

// Each within the limit of a document, together beyond it.
TEST(chat_fields, arguments_of_all_calls_share_one_limit_of_values) {
  const auto calls = [](int count, int values) {
    std::string list = "0";
    for (int i = 3; i < values; ++i) list += ",0";  // the object and its array count, too
    std::string out;
    for (int i = 0; i < count; ++i) {
      out += i == 0 ? "[" : ",";
      out += R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":[)" + list + R"(]}"}}]})";
    }
    return messages_of(out + "]");
  };
  EXPECT_EQ(calls(2, 50'001), "error messages[1].tool_calls");
  EXPECT_EQ(calls(40, 10'000), "error messages[10].tool_calls");
  EXPECT_NE(calls(2, 50'000).substr(0, 5), "error");
}

TEST(chat_fields, tools_reach_the_template_unless_switched_off) {
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"f","parameters":{"b":1,"a":2}}}])";
  const auto with = parse_with(endpoint::chat, tools);
  ASSERT_TRUE(with);
  EXPECT_NE(to_json(std::get<chat_prompt>(with->generation.prompts[0]).tools).find(R"({"b":1,"a":2})"),
            std::string::npos);
  const auto without = parse_with(endpoint::chat, tools + R"(,"tool_choice":"none")");
  ASSERT_TRUE(without);
  EXPECT_TRUE(std::get<chat_prompt>(without->generation.prompts[0]).tools.is_null());
}

TEST(chat_fields, template_arguments) {
  const auto parsed = parse_with(endpoint::chat, R"("chat_template_kwargs":{"enable_thinking":false})");
  ASSERT_TRUE(parsed);
  const auto& chat = std::get<chat_prompt>(parsed->generation.prompts[0]);
  EXPECT_EQ(to_json(chat.template_arguments), R"({"enable_thinking":false})");
  EXPECT_TRUE(chat.add_generation_prompt);
}

}  // namespace
}  // namespace neap::api
