// Python's literals as JSON.

#include "engine/text/tool_calls/python_literal.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

// The JSON, with ! where the literal is refused and ? where it is not complete.
std::string translate(std::string_view text) {
  python_literal literal{8};
  std::string json;
  for (const char c : text) {
    const auto status = literal.push(c, json);
    if (status == scan_status::malformed) return "!";
    if (status != scan_status::open) return json;
  }
  return json + "?";
}

TEST(python_literal, literals) {
  const std::pair<const char*, const char*> cases[] = {
      {"1,", "1"},
      {"-2.5e3)", "-2.5e3"},
      {"True,", "true"},
      {"False)", "false"},
      {"None ", "null"},
      {"true,", "true"},
      {"''", "\"\""},
      {"'a\"b'", "\"a\\\"b\""},
      {"\"it's\"", "\"it's\""},
      {R"('\'\"\\\n\x7e\u00e9')", R"("'\"\\\n\u007e\u00e9")"},
      {R"('\d\/')", R"("\\d\\/")"},
      {"'\t'", "\"\\u0009\""},
      {"[1, 'a', [ ], {}, ]", "[1, \"a\", [], {}]"},
      {"{'a': {'b': [None]}, \"c\":2,}", "{\"a\": {\"b\": [null]}, \"c\": 2}"},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(translate(text), json) << text;
}

TEST(python_literal, refuses_what_has_no_json) {
  for (const char* text : {"(1,)", "{1: 2}", "{'a'}", "[,]", "f(1)", "x,", "0x10,", ".5,", "nan,", "'a\n'",
                           "'\\0'", "'\\N{DASH}'", "'\\xg0'", "[1}", "{'a': 1]", "{,}", "-", "[[[[[[[[["})
    EXPECT_TRUE(translate(text) == "!" || translate(text) == "?") << text << " gave " << translate(text);
}

}  // namespace
}  // namespace neap::text
