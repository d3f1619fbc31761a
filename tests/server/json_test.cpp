#include "server/api/json_reader.hpp"
#include "server/api/json_writer.hpp"
#include "server/api/quote.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace neap::api {
namespace {

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

class refused_json : public testing::TestWithParam<std::string> {};

TEST_P(refused_json, gives_invalid_json) {
  const auto parsed = parse_json(GetParam());
  ASSERT_FALSE(parsed) << GetParam();
  EXPECT_EQ(parsed.error().code, error_code::invalid_json);
  EXPECT_EQ(text::replace_invalid_utf8(parsed.error().message), parsed.error().message);
  EXPECT_LT(parsed.error().message.size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(syntax, refused_json,
                         testing::Values("", " ", "{", "{\"a\":}", "{\"a\":1,}", "[1,]", "{'a':1}", "{a:1}",
                                         "nul", "{} {}", "{}x", "// no\n{}", "[NaN]", "[Infinity]",
                                         "[-Infinity]", "[1e999]", "[-1e999]", "[01]", "[+1]", "[.5]", "[1.]",
                                         "\"\\ud800\"", "\"\\x41\"", "\"a\nb\"",
                                         std::string("{\"a\0\":1}", 8), "\xEF\xBB\xBF{}"));

// CASES P1.
INSTANTIATE_TEST_SUITE_P(duplicate_keys, refused_json,
                         testing::Values(R"({"stream":true,"stream":false})", R"({"model":"a","model":"a"})",
                                         R"([{"x":{"b":1,"c":2,"b":3}}])",
                                         R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"c":1})", R"({"a":1,"\u0061":2})"));

// CASES C18.
INSTANTIATE_TEST_SUITE_P(broken_utf8, refused_json,
                         testing::Values("[\"\xC4\xE3\"]", "[\"\xC0\x80\"]", "[\"\xED\xA0\x80\"]",
                                         "[\"\xF4\x90\x80\x80\"]", "[\"\xE2\x82\"]", "[\"\xFF\"]",
                                         "[\"\x80\"]", "[\"\xF0\x80\x80\x80\"]"));

INSTANTIATE_TEST_SUITE_P(depth, refused_json,
                         testing::Values(nested(33), nested(100'000), std::string(1'000'000, '[')));

TEST(json_reader, takes_the_deepest_document_allowed) { EXPECT_TRUE(parse_json(nested(32))); }

TEST(json_reader, keeps_types_and_order) {
  const auto parsed = parse_json(R"( {"b":1,"a":[true,null,-2.5,"x\n\u00e9\ud83d\ude00"],"c":{}} )");
  ASSERT_TRUE(parsed);
  const auto& members = *parsed->object();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].first, "b");
  EXPECT_EQ(std::get<std::int64_t>(members[0].second.data), 1);
  const auto& list = *members[1].second.array();
  EXPECT_TRUE(std::get<bool>(list[0].data));
  EXPECT_TRUE(list[1].is_null());
  EXPECT_DOUBLE_EQ(std::get<double>(list[2].data), -2.5);
  EXPECT_EQ(*list[3].string(), "x\né😀");
}

TEST(json_reader, long_strings_arrive_whole) {
  const std::string text(300'000, 'z');
  const auto parsed = parse_json("[\"" + text + "\"]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed->array()->front().string(), text);
}

// CASES R12: 2 bytes of text must not become 72 of memory without a bound.
TEST(json_reader, documents_with_too_many_values_are_refused) {
  const auto list = [](std::size_t values, const std::string& value) {
    std::string text = "[";  // the list is a value, too
    for (std::size_t i = 1; i < values; ++i) text += (i > 1 ? "," : "") + value;
    return text + "]";
  };
  for (const auto* value : {"1", "1.5", "\"\"", "null", "true", "[]", "{}", "18446744073709551615"}) {
    EXPECT_TRUE(parse_json(list(json_value_limit, value))) << value;
    const auto refused = parse_json(list(json_value_limit + 1, value));
    ASSERT_FALSE(refused) << value;
    EXPECT_EQ(refused.error().code, error_code::invalid_request);
    EXPECT_EQ(refused.error().message, "the body has more than 100000 JSON values; send less at once");
  }
}

TEST(json_reader, many_keys_are_checked_in_reasonable_time) {
  std::string text = "{";
  for (int i = 0; i < 90'000; ++i) text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
  EXPECT_TRUE(parse_json(text + "}"));
  EXPECT_FALSE(parse_json(text + ",\"k7\":0}"));
}

TEST(json_reader, writing_and_reading_agree) {
  const std::string text = R"({"a":[1,-2.5,"q\"\\/",true,null],"b":{"c":[]}})";
  const auto once = parse_json(text);
  ASSERT_TRUE(once);
  const auto again = parse_json(to_json(*once));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*once), to_json(*again));
}

// CASES C44: clients that split on Unicode line ends.
TEST(json_writer, escapes_line_separators_and_controls) {
  std::string out;
  append_json_string(out, "a\u2028b\u2029c\u0085d\re\nf\x01g\"h\\i\x7f");
  EXPECT_EQ(out, R"("a\u2028b\u2029c\u0085d\re\nf\u0001g\"h\\i\u007f")");
}

TEST(json_writer, output_is_valid_utf8_whatever_comes_in) {
  std::string out;
  append_json_string(out, "ok \xC3\xA9 bad \xC3( \xED\xA0\x80 \xFF");
  EXPECT_EQ(text::replace_invalid_utf8(out), out);
  EXPECT_NE(out.find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_NE(out.find("é"), std::string::npos);
}

TEST(json_writer, numbers) {
  json_writer out;
  out.begin_array().number(0.1).number(std::numeric_limits<double>::infinity()).milliseconds(1.23456);
  out.integer(std::numeric_limits<std::int64_t>::min()).end_array();
  EXPECT_EQ(out.take(), "[0.1,null,1.235,-9223372036854775808]");
}

TEST(quote, is_bounded_and_valid) {
  const auto echo = quote(std::string(99, 'a') + "😀😀😀😀😀" + std::string(1000, 'b'));
  EXPECT_LE(echo.size(), 200U);
  EXPECT_EQ(text::replace_invalid_utf8(echo), echo);
  EXPECT_EQ(quote("a\nb").find('\n'), std::string::npos);
}

}  // namespace
}  // namespace neap::api
