// Where a JSON value ends, and what is none.

#include "engine/text/tool_calls/json_scanner.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

// Bytes read when the scanner stopped, and its last answer.
std::pair<std::size_t, scan_status> scan(std::string_view text, std::size_t depth = 8) {
  json_scanner scanner{depth};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const auto status = scanner.push(text[i]); status != scan_status::open) return {i + 1, status};
  return {text.size(), scan_status::open};
}

TEST(json_scanner, ends_with_the_value) {
  for (const std::string text :
       {R"({})", R"([])", R"("a\"b")", R"({"a": {"b": [1, 2.5e-3, true]}, "c": null})",
        R"([[], {}, "", "\u00Ff\\"])", R"( {"}": "{"})"}) {
    EXPECT_EQ(scan(text + "}}x"), std::pair(text.size(), scan_status::complete)) << text;
    for (std::size_t i = 0; i < text.size(); ++i)
      EXPECT_EQ(scan(text.substr(0, i)).second, scan_status::open) << text.substr(0, i);
  }
}

TEST(json_scanner, scalars_end_before_what_follows) {
  for (const std::string text : {"0", "-0", "12", "-1.5", "1e9", "1E+09", "true", "false", "null"})
    for (const char* after : {",", "}", " ", "\"", "<"})
      EXPECT_EQ(scan(text + after), std::pair(text.size() + 1, scan_status::complete_before)) << text;
}

TEST(json_scanner, refuses_what_is_not_json) {
  for (const char* text :
       {"}",    ",",    "[1,]",      "[,1]",    "[1 2]",       "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
        "[}",   "{]",   "{\"a\" 1}", "01,",     "-,",          "1.,",   ".5,",     "1e,",      "+1,",
        "tru,", "NaN,", "\"\n\"",    "\"\\x\"", "\"\\u12g4\"", "'a'",   "[1}",     "{\"a\":1]"})
    EXPECT_EQ(scan(text).second, scan_status::malformed) << text;
  EXPECT_EQ(scan(std::string(401, '1')).second, scan_status::malformed);
}

TEST(json_scanner, depth_is_limited) {
  EXPECT_EQ(scan("[[[]]]", 3).second, scan_status::complete);
  EXPECT_EQ(scan("[[{\"a\":[", 3).second, scan_status::malformed);
}

}  // namespace
}  // namespace neap::text
