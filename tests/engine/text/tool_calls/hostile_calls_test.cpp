// Malformed, cut and oversized calls: nothing of the answer is lost, and no way of cutting it matters.

#include "tests/engine/text/tool_calls/tool_call_events.hpp"
#include "tests/support/json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace neap::text {
namespace {

using test::read_calls;
using test::spell;
using test::spell_calls;
using enum tool_call_format;
using kind = tool_call_event::kind;

constexpr tool_call_format all_formats[] = {none, hermes, llama_json, mistral, pythonic};

const std::vector<std::string>& answers() {
  static const std::vector<std::string> all{
      "Text <tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"x\\u00e9\"]}}\n</tool_call>\n"
      "<tool_call>{\"name\": \"g\", \"arguments\": {}}</tool_call> end",
      "{\"name\": \"f\", \"parameters\": {\"a\": true, \"b\": {\"c\": null}}}; {\"name\": \"g\", "
      "\"parameters\": {}}",
      "<|python_tag|>{\"parameters\": {\"q\": \"<|python_tag|>\"}, \"name\": \"f\", \"x\": -1.5e3}",
      "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"name\": \"g\", \"arguments\": {}}] "
      "after",
      "[f(a=1, b='x\\'y', c=[True, None], d={'k': 0.5}), g.h(), i(z=\"\\u1234\")]"};
  return all;
}

std::vector<std::string> cut(const std::string& text, std::mt19937& random) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = std::uniform_int_distribution<std::size_t>{0, 9}(random);
    pieces.push_back(text.substr(at, length));
    at += length;
  }
  return pieces;
}

// A few bytes changed, dropped or doubled, from an alphabet of what the formats use.
std::string damage(std::string text, std::mt19937& random) {
  static const std::string alphabet = "{}[]()<>\"'\\,:=;/|_ \n\t-.0eatn\x01\xC3";
  const auto pick = [&](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>{0, size - 1}(random);
  };
  for (std::size_t i = 0, count = pick(4); i <= count && !text.empty(); ++i) {
    const auto at = pick(text.size());
    switch (pick(4)) {
      case 0:
        text[at] = alphabet[pick(alphabet.size())];
        break;
      case 1:
        text.erase(at, 1 + pick(6));
        break;
      case 2:
        text.insert(at, text.substr(pick(text.size()), pick(20)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

// A call's arguments are a JSON object; without a finished call the answer comes back byte for byte.
void expect_sound(const std::vector<tool_call_event>& events, const std::string& answer) {
  std::string plain, arguments;
  bool ended = false;
  for (const auto& event : events) {
    if (event.what == kind::text || event.what == kind::call_failed) plain += event.text;
    if (event.what == kind::call_started) arguments.clear();
    if (event.what == kind::arguments) arguments += event.text;
    if (event.what != kind::call_ended) continue;
    ended = true;
    if (std::all_of(arguments.begin(), arguments.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
      EXPECT_NE(test::parse_json(arguments).object(), nullptr) << arguments;
    }
  }
  if (!ended) {
    EXPECT_EQ(plain, answer);
  }
}

TEST(hostile_calls, every_cut_gives_the_same_events) {
  std::mt19937 random{1};
  for (const auto& answer : answers())
    for (const auto format : all_formats) {
      const auto whole = read_calls(format, {answer});
      for (std::size_t i = 0; i <= answer.size(); ++i)
        EXPECT_EQ(whole, read_calls(format, {answer.substr(0, i), answer.substr(i)}));
      for (int i = 0; i < 50; ++i) EXPECT_EQ(whole, read_calls(format, cut(answer, random)));
    }
}

TEST(hostile_calls, damaged_answers_lose_nothing) {
  std::mt19937 random{2};
  for (int i = 0; i < 20'000; ++i) {
    const auto answer = damage(answers()[static_cast<std::size_t>(i) % answers().size()], random);
    for (const auto format : all_formats) {
      const auto whole = read_calls(format, {answer});
      ASSERT_EQ(whole, read_calls(format, cut(answer, random))) << answer;
      expect_sound(whole, answer);
      ASSERT_FALSE(testing::Test::HasFailure()) << answer;
    }
  }
}

TEST(hostile_calls, an_answer_cut_anywhere_loses_nothing) {
  for (const auto& answer : answers())
    for (const auto format : all_formats)
      for (std::size_t i = 0; i <= answer.size(); ++i)
        expect_sound(read_calls(format, {answer.substr(0, i)}), answer.substr(0, i));
}

TEST(hostile_calls, a_call_that_breaks_after_its_start_gives_all_of_itself) {
  EXPECT_EQ(spell_calls(hermes, "x<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":]}}</tool_call>"),
            "T(x)S(f)A({\"a\":)F(<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":)T(]}}</tool_call>)");
  EXPECT_EQ(spell_calls(hermes, "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\""),
            "S(f)A({\"a\")F(<tool_call>{\"name\":\"f\",\"arguments\":{\"a\")");
}

TEST(hostile_calls, the_byte_that_breaks_a_call_can_open_the_next) {
  EXPECT_EQ(spell_calls(hermes, "<tool_call>{\"name\":<tool_call>{\"name\":\"f\"}</tool_call>"),
            "T(<tool_call>{\"name\":)S(f)A({})E");
  EXPECT_EQ(spell_calls(hermes, "<<tool_call>{\"name\":\"f\"}</tool_</tool_call>"),
            "T(<)S(f)A({})ET(</tool_</tool_call>)");
}

TEST(hostile_calls, members_are_checked) {
  for (const char* object :
       {R"({"name":"","arguments":{}})", R"({"name":"a b","arguments":{}})",
        R"({"name":"f\n","arguments":{}})", R"({"name":1,"arguments":{}})", R"({"name":"f","arguments":[]})",
        R"({"name":"f","arguments":"{}"})", R"({"name":"f","name":"g","arguments":{}})",
        R"({"arguments":{}})", R"({"name":"f",})", R"({"name" "f"})", R"({"name":"f","x":01,"arguments":{}})",
        R"({"name":"f","x":nul,"arguments":{}})", "[]", "\"f\"", "{,}"}) {
    const auto answer = "<tool_call>" + std::string{object} + "</tool_call>";
    EXPECT_EQ(spell_calls(hermes, answer), "T(" + answer + ")");
  }
  EXPECT_EQ(spell_calls(pythonic, "[f(a=1, a=2)]"), "S(f)A({\"a\": 1)F([f(a=1, a)T(=2)])");
  EXPECT_EQ(spell_calls(pythonic, "[f(a=1_0)]"), "S(f)A({\"a\": )F([f(a=1)T(_0)])");
}

TEST(hostile_calls, depth_size_and_count_are_limited) {
  const std::string deep(64, '[');
  const auto nested = "<tool_call>{\"name\":\"f\",\"x\":" + deep + std::string(64, ']') + "}";
  EXPECT_EQ(spell_calls(hermes, nested), "S(f)A({})E");
  const auto too_deep = "<tool_call>{\"name\":\"f\",\"x\":[" + deep + std::string(65, ']') + "}";
  EXPECT_EQ(spell_calls(hermes, too_deep), "T(" + too_deep + ")");
  const auto python = "[f(a=" + deep + "[1";
  EXPECT_NE(spell_calls(pythonic, python).find("F("), std::string::npos);

  const tool_call_limits limits{64, 40, 2};
  const auto large = "{\"name\":\"" + std::string(60, 'n') + "\"";
  EXPECT_EQ(spell_calls(llama_json, large, limits), "T(" + large + ")");
  const std::string one = R"({"name":"f","parameters":{}})";
  EXPECT_EQ(spell_calls(llama_json, one + one + one, limits), "S(f)A({})ES(f)A({})ET(" + one + ")");
}

TEST(hostile_calls, long_answers_take_linear_time) {
  std::string answer;
  for (int i = 0; i < 200'000; ++i) answer += "<tool_cal";
  EXPECT_EQ(spell_calls(hermes, answer), "T(" + answer + ")");
  const auto blanks = std::string(2'000'000, ' ');
  EXPECT_EQ(spell(read_calls(hermes, {blanks})), "T(" + blanks + ")");
}

}  // namespace
}  // namespace neap::text
