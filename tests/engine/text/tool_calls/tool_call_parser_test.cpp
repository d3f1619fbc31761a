// What each format's calls become, and when.

#include "tests/engine/text/tool_calls/tool_call_events.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

using test::spell;
using test::spell_calls;
using enum tool_call_format;

TEST(tool_calls, hermes) {
  EXPECT_EQ(
      spell_calls(hermes, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"}\"]}}\n</tool_call>"),
      "S(f)A({\"a\": [1, \"}\"]})E");
  EXPECT_EQ(spell_calls(hermes,
                        "Let me see.\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n"
                        "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>\n\nDone."),
            "T(Let me see.\n)S(f)A({})ES(g)A({})ET(\n\nDone.)");
}

TEST(tool_calls, llama_as_bare_json_and_behind_its_mark) {
  EXPECT_EQ(spell_calls(llama_json, "\n{\"name\": \"f\", \"parameters\": {\"a\": 1}}"), "S(f)A({\"a\": 1})E");
  EXPECT_EQ(
      spell_calls(llama_json, "<|python_tag|>{\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}"),
      "S(f)A({})E");
  EXPECT_EQ(spell_calls(llama_json, "{\"name\":\"f\",\"parameters\":{}}; {\"name\":\"g\",\"parameters\":{}}"),
            "S(f)A({})ES(g)A({})E");
  EXPECT_EQ(spell_calls(llama_json, "Now.<|python_tag|>{\"name\":\"f\",\"parameters\":{}}"),
            "T(Now.)S(f)A({})E");
}

TEST(tool_calls, llama_leaves_json_answers_and_code_alone) {
  for (const char* answer :
       {R"({"name": "Ada", "age": 36})", R"({"name": "Ada"})", R"({"city": {"name": "f", "parameters": {}}})",
        R"({})", R"(So: {"name": "f", "parameters": {}})", R"(<|python_tag|>brave_search.call(query="x"))",
        "<|python_tag|>print(1)"})
    EXPECT_EQ(spell_calls(llama_json, answer), "T(" + std::string{answer} + ")");
}

TEST(tool_calls, mistral) {
  EXPECT_EQ(spell_calls(mistral,
                        "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{\"a\":1}}, {\"name\":\"g\","
                        "\"arguments\":{}, \"id\": \"123456789\"}]"),
            "S(f)A({\"a\":1})ES(g)A({})E");
  EXPECT_EQ(spell_calls(mistral, "Yes. [TOOL_CALLS] [ {\"arguments\": {\"a\": 1}, \"name\": \"f\"} ] more"),
            "T(Yes. )S(f)A({\"a\": 1})ET( more)");
}

TEST(tool_calls, pythonic) {
  EXPECT_EQ(spell_calls(pythonic, "[f(a=1, b='it\\'s \"x\"', c=[True, None,], d={'k': -1.5e3}), g.h()]"),
            "S(f)A({\"a\": 1, \"b\": \"it's \\\"x\\\"\", \"c\": [true, null], \"d\": {\"k\": "
            "-1.5e3}})ES(g.h)A({})E");
  EXPECT_EQ(spell_calls(pythonic, " [ f ( a = \"\\x41\\u0041\\d\\n\" , ) ]\n"),
            "S(f)A({\"a\": \"\\u0041\\u0041\\\\d\\n\"})E");
}

TEST(tool_calls, pythonic_leaves_other_brackets_alone) {
  for (const char* answer :
       {"[1] says so", "[see(this) page]", "[f]", "[]", "see [f(a=1)]", "[f(1)]", "[a b(c=1)]"})
    EXPECT_EQ(spell_calls(pythonic, answer), "T(" + std::string{answer} + ")");
}

TEST(tool_calls, no_format_is_all_text) {
  EXPECT_EQ(spell_calls(none, "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"),
            "T(<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>)");
}

TEST(tool_calls, a_call_without_arguments_has_none) {
  EXPECT_EQ(spell_calls(hermes, "<tool_call>{\"name\": \"f\"}</tool_call>"), "S(f)A({})E");
}

TEST(tool_calls, blanks_alone_are_an_answer) {
  EXPECT_EQ(spell_calls(hermes, " \n"), "T( \n)");
  EXPECT_EQ(spell_calls(hermes, " \n<tool_call>{\"name\": \"f\"}</tool_call> \n"), "S(f)A({})E");
}

// Each list is what one more piece must give at once.
TEST(tool_calls, nothing_waits_that_is_decided) {
  tool_call_parser parser{hermes};
  EXPECT_EQ(spell(parser.push("Hi")), "T(Hi)");
  EXPECT_EQ(spell(parser.push(" <tool")), "T( )");
  EXPECT_EQ(spell(parser.push("box> <")), "T(<toolbox> )");
  EXPECT_EQ(spell(parser.push("tool_call>{\"name\":\"f\",\"arguments\":")), "");
  const auto started = parser.push("{\"a\"");
  EXPECT_EQ(spell(started), "S(f)A({\"a\")");
  EXPECT_EQ(spell({{tool_call_event::kind::call_started, 0, ""}, parser.push(": 1}").front()}), "S()A(: 1})");
  EXPECT_EQ(parser.push("}").front().what, tool_call_event::kind::call_ended);
  EXPECT_TRUE(parser.push("</tool_call>").empty());
  EXPECT_TRUE(parser.finish().empty());
}

TEST(tool_calls, a_format_without_a_mark_waits_for_the_first_character_only) {
  tool_call_parser parser{pythonic};
  EXPECT_EQ(spell(parser.push("\nN")), "T(\nN)");
  EXPECT_EQ(spell(parser.push("[f(a=1)]")), "T([f(a=1)])");
}

}  // namespace
}  // namespace neap::text
