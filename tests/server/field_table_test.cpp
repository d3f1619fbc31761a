// R4: every field with wrong types and values at and past its bounds, on both endpoints, with and without stream.

#include "tests/server/request_helpers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace neap::api {
namespace {

struct field_case {
  std::string name;
  std::vector<std::string> right;  // raw JSON
  std::vector<std::string> wrong;
  std::vector<std::string> unsupported = {};
};

const std::vector<std::string>& not_numbers() {
  static const std::vector<std::string> values{"\"0.5\"", "true", "[]", "{}", "\"\"", "[1]", "1e18", "-1e18"};
  return values;
}

std::vector<field_case> common_fields() {
  return {
      {"temperature", {"0", "1", "2", "0.7", "null"}, {"-0.1", "2.1"}},
      {"top_p", {"0", "1", "0.9", "null"}, {"-0.1", "1.1"}},
      {"min_p", {"0", "1", "null"}, {"-0.1", "1.1"}},
      {"presence_penalty", {"-2", "2", "0", "null"}, {"-2.1", "2.1"}},
      {"frequency_penalty", {"-2", "2", "0", "null"}, {"-2.1", "2.1"}},
      {"repetition_penalty", {"0.01", "1.1", "10", "null"}, {"0", "-1", "10.5"}},
  };
}

std::vector<field_case> other_fields() {
  return {
      {"max_tokens",
       {"1", "2147483647", "4294967296", "1e18", "16.0", "null"},
       {"0", "-1", "1.5", "\"1\"", "true", "[]", "1e300"}},
      {"max_completion_tokens", {"1", "2147483647", "null"}, {"0", "-1", "1.5", "\"1\"", "{}"}},
      {"top_k", {"-1", "0", "1", "1000000", "1e18", "null"}, {"-2", "1.5", "\"1\"", "[]"}},
      {"seed", {"0", "-1", "9223372036854775807", "null"}, {"1.5", "\"1\"", "1e300", "[]"}},
      {"stop",
       {"\"x\"", "[]", "[\"a\",\"b\",\"c\",\"d\"]", "null"},
       {"\"\"", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "[1]", "[null]", "7", "{}", "[\"\"]", "[[\"a\"]]"}},
      {"stop_token_ids", {"[]", "[0,999]", "null"}, {"[-1]", "[1000]", "[1.5]", "[\"1\"]", "7", "{}"}},
      {"ignore_eos", {"true", "false", "null"}, {"0", "\"true\"", "[]"}},
      {"stream_options",
       {"{}", "null", "{\"include_usage\":true}", "{\"include_usage\":null}", "{\"other\":1}"},
       {"true", "[]", "{\"include_usage\":1}", "\"x\""}},
      {"return_token_ids", {"true", "false", "null"}, {"1", "\"yes\""}},
      {"priority", {"0", "-5", "2147483647", "null"}, {"1.5", "\"1\"", "2147483648", "1e18"}},
      {"service_tier",
       {"\"auto\"", "\"default\"", "\"priority\"", "\"flex\"", "null"},
       {"\"gold\"", "\"\"", "1", "[]"}},
      {"request_type", {"\"interactive\"", "\"batch\"", "null"}, {"\"slow\"", "1"}},
      {"sensitivity", {"\"realtime\"", "\"normal\"", "null"}, {"\"low\"", "{}"}},
      {"deadline_ms", {"1", "86400000", "null"}, {"0", "-1", "86400001", "1.5", "\"1\""}},
      {"user", {"\"me\"", "\"\"", "null"}, {"1", "[]"}},
      {"logit_bias",
       {"{}", "{\"0\":100,\"999\":-100}", "null"},
       {"{\"1000\":1}", "{\"999999\":1}", "{\"-1\":1}", "{\"abc\":1}", "{\"\":1}", "{\"1\":101}",
        "{\"1\":-101}", "{\"1\":\"1\"}", "{\"1\":null}", "{\" 1\":1}", "{\"01\":1,\"1\":2}", "[]", "5"}},
      {"n", {"1", "2", "8", "null"}, {"0", "-1", "9", "1.5", "\"1\"", "1e18", "[]"}},
      {"best_of", {"1", "null"}, {"0", "\"1\""}, {"2"}},
      {"suffix", {"\"\"", "null"}, {"1"}, {"\"x\""}},
      {"response_format",
       {"{\"type\":\"text\"}", "null"},
       {"{}", "\"text\"", "{\"type\":7}", "{\"type\":\"xml\"}"},
       {"{\"type\":\"json_object\"}", "{\"type\":\"json_schema\",\"json_schema\":{}}"}},
      {"guided_json", {"null"}, {}, {"{}", "\"x\""}},
      {"use_beam_search", {"false"}, {"1"}, {"true"}},
      {"cache_salt", {"null"}, {}, {"\"x\""}},
  };
}

std::vector<field_case> chat_fields() {
  return {
      {"logprobs", {"false", "true", "null"}, {"\"x\"", "1", "[]"}},
      {"top_logprobs", {"0", "null"}, {"1", "20", "21", "-1", "\"1\"", "1.5", "true"}},
      {"echo", {"false", "null"}, {"0", "\"no\""}, {"true"}},
      {"tool_choice",
       {"\"none\"", "\"auto\"", "null"},
       {"\"any\"", "7"},
       {"\"required\"", "{\"type\":\"function\"}"}},
      {"tools",
       {"[]", "null", R"([{"type":"function","function":{"name":"f"}}])"},
       {"{}", "[1]", "[{}]", R"([{"function":{"name":1}}])"}},
      {"chat_template_kwargs",
       {"{}", "null", "{\"enable_thinking\":false}"},
       {"[]", "1", "{\"messages\":[]}", "{\"bos_token\":\"x\"}"}},
      {"add_generation_prompt", {"true", "false"}, {"1"}},
  };
}

std::vector<field_case> completion_fields() {
  return {
      {"logprobs", {"false", "null", "0", "1", "20"}, {"\"x\"", "21", "-1", "1.5", "[]", "true"}},
      {"echo", {"true", "false", "null"}, {"0", "\"no\"", "[]"}},
      {"parse_special", {"true", "false", "null"}, {"1", "\"x\""}},
      {"add_special_tokens", {"true", "false", "null"}, {"0", "[]"}},
  };
}

// Status 0 stands for success.
int status_of(endpoint where, const std::string& fields, const std::string& name) {
  const auto parsed = parse_with(where, fields);
  if (parsed) return 0;
  EXPECT_FALSE(parsed.error().message.empty());
  EXPECT_NE(parsed.error().message.find(name), std::string::npos) << parsed.error().message;
  EXPECT_TRUE(parsed.error().param.starts_with(name)) << parsed.error().param;
  return http_status(parsed.error().code);
}

// CASES C31: the same outcome with and without stream.
void check_value(endpoint where, const std::string& name, const std::string& value, int status) {
  const std::string field = "\"" + name + "\":" + value;
  EXPECT_EQ(status_of(where, field, name), status) << field;
  EXPECT_EQ(status_of(where, field + ",\"stream\":true", name), status) << field << " with stream";
}

void check_field(endpoint where, const field_case& field) {
  for (const auto& value : field.right) check_value(where, field.name, value, 0);
  for (const auto& value : field.wrong) check_value(where, field.name, value, 400);
  for (const auto& value : field.unsupported) {
    check_value(where, field.name, value, 400);
    const auto parsed = parse_with(where, "\"" + field.name + "\":" + value);
    EXPECT_EQ(parsed.error().code, error_code::unsupported_field) << field.name << value;
  }
}

TEST(field_table, chat) {
  for (const auto& fields : {common_fields(), other_fields(), chat_fields()}) {
    for (const auto& field : fields) check_field(endpoint::chat, field);
  }
}

TEST(field_table, completions) {
  for (const auto& fields : {common_fields(), other_fields(), completion_fields()}) {
    for (const auto& field : fields) check_field(endpoint::completions, field);
  }
}

// CASES C20; raw NaN and infinities are refused by the JSON layer (json_test).
TEST(field_table, sampling_numbers_of_wrong_type) {
  for (const auto where : {endpoint::chat, endpoint::completions}) {
    for (const auto& field : common_fields()) {
      for (const auto& value : not_numbers()) check_value(where, field.name, value, 400);
      for (const auto* raw : {"NaN", "Infinity", "1e999"}) {
        const auto parsed = parse_with(where, "\"" + field.name + "\":" + raw);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(http_status(parsed.error().code), 400);
      }
    }
  }
}

TEST(field_table, stream_itself) {
  for (const auto where : {endpoint::chat, endpoint::completions}) {
    for (const auto* wrong : {"1", "\"true\"", "[]", "{}"}) {
      EXPECT_EQ(status_of(where, std::string("\"stream\":") + wrong, "stream"), 400) << wrong;
    }
    EXPECT_TRUE(parse_with(where, "\"stream\":null"));
    EXPECT_TRUE(parse_with(where, "\"stream\":true")->answer.stream);
    EXPECT_FALSE(parse_with(where, "\"stream\":false")->answer.stream);
  }
}

// CASES C27.
TEST(field_table, too_many_biases) {
  const auto biases = [](int count) {
    std::string out = "\"logit_bias\":{";
    for (int i = 0; i < count; ++i) out += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
    return out + "}";
  };
  const auto many = parse_with(endpoint::chat, biases(90'000));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().param, "logit_bias");
  EXPECT_NE(many.error().message.find("1024"), std::string::npos);
  EXPECT_TRUE(parse_with(endpoint::chat, biases(1000)));
}

}  // namespace
}  // namespace neap::api
