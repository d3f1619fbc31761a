#include "server/api/json_writer.hpp"
#include "server/api/quote.hpp"
#include "tests/server/request_helpers.hpp"

#include <gtest/gtest.h>

namespace neap::api {
namespace {

constexpr endpoint both[] = {endpoint::chat, endpoint::completions};

TEST(request_parser, defaults) {
  const auto chat = parse_with(endpoint::chat, "");
  ASSERT_TRUE(chat);
  EXPECT_EQ(chat->generation.model, "fake-model");
  EXPECT_FALSE(chat->generation.max_tokens);
  EXPECT_EQ(chat->generation.sampling.seed, 77U);
  EXPECT_FLOAT_EQ(chat->generation.sampling.temperature, 1.0F);
  EXPECT_FALSE(chat->answer.stream);
  EXPECT_TRUE(chat->answer.ignored_fields.empty());
  const auto completion = parse_with(endpoint::completions, "");
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->generation.max_tokens, 16U);
}

TEST(request_parser, fields_arrive) {
  const auto parsed = parse_with(endpoint::completions, R"("temperature":0,"top_p":0.5,"top_k":40,"min_p":0.1,
    "repetition_penalty":1.2,"presence_penalty":0.5,"frequency_penalty":-0.5,"seed":-1,"max_tokens":7,
    "stop":["a","b"],"stop_token_ids":[3],"ignore_eos":true,"logit_bias":{"5":-100,"2":1.5},"stream":true,
    "stream_options":{"include_usage":true},"return_token_ids":true,"deadline_ms":1500,"priority":-3)");
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& request = parsed->generation;
  EXPECT_TRUE(request.sampling.greedy());
  EXPECT_FLOAT_EQ(request.sampling.top_p, 0.5F);
  EXPECT_EQ(request.sampling.top_k, 40);
  EXPECT_FLOAT_EQ(request.sampling.min_p, 0.1F);
  EXPECT_FLOAT_EQ(request.sampling.repetition_penalty, 1.2F);
  EXPECT_FLOAT_EQ(request.sampling.presence_penalty, 0.5F);
  EXPECT_FLOAT_EQ(request.sampling.frequency_penalty, -0.5F);
  EXPECT_EQ(request.sampling.seed, static_cast<std::uint64_t>(-1));
  const std::vector<std::pair<token_id, float>> bias{{2, 1.5F}, {5, -100.0F}};
  EXPECT_EQ(request.sampling.logit_bias, bias);
  EXPECT_EQ(request.max_tokens, 7U);
  EXPECT_EQ(request.stop.strings, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.stop.token_ids, std::vector<token_id>{3});
  EXPECT_TRUE(request.stop.ignore_eos);
  EXPECT_EQ(request.deadline, std::chrono::milliseconds(1500));
  EXPECT_EQ(request.tag.priority, -3);
  EXPECT_TRUE(parsed->answer.stream && parsed->answer.include_usage && parsed->answer.return_token_ids);
}

// CASES C23: no overflow on the way to the engine.
TEST(request_parser, huge_limits_are_bounded_to_the_context) {
  for (const auto* value : {"2147483647", "4294967296", "1e18", "9223372036854775807"}) {
    const auto parsed = parse_with(endpoint::chat, std::string("\"max_tokens\":") + value);
    ASSERT_TRUE(parsed) << value;
    EXPECT_EQ(parsed->generation.max_tokens, 4096U);
  }
}

TEST(request_parser, two_names_of_one_limit) {
  EXPECT_EQ(parse_with(endpoint::chat, R"("max_tokens":5,"max_completion_tokens":5)")->generation.max_tokens,
            5U);
  EXPECT_EQ(parse_with(endpoint::chat, R"("max_completion_tokens":9)")->generation.max_tokens, 9U);
  const auto both_given = parse_with(endpoint::chat, R"("max_tokens":5,"max_completion_tokens":6)");
  ASSERT_FALSE(both_given);
  EXPECT_EQ(both_given.error().param, "max_completion_tokens");
}

TEST(request_parser, answers_to_each_prompt) {
  for (const auto where : both) {
    EXPECT_EQ(parse_with(where, "")->generation.choices(), 1U);
    EXPECT_EQ(parse_with(where, R"("n":3)")->generation.choices(), 3U);
    EXPECT_EQ(parse_with(where, R"("n":3,"best_of":3)")->generation.choices(), 3U);
    for (const auto* fields : {R"("n":3,"best_of":4)", R"("n":3,"best_of":1)", R"("best_of":2)"}) {
      const auto parsed = parse_with(where, fields);
      ASSERT_FALSE(parsed) << fields;
      EXPECT_EQ(parsed.error().param, "best_of");
      EXPECT_EQ(parsed.error().code, error_code::unsupported_field);
    }
  }
  EXPECT_EQ(parse_with(endpoint::completions, R"("prompt":["a","b"],"n":4)")->generation.choices(), 8U);
}

// CASES C29.
TEST(request_parser, log_probabilities) {
  const auto chat = [](const std::string& fields) { return parse_with(endpoint::chat, fields); };
  EXPECT_EQ(chat("")->generation.sampling.logprobs, -1);
  EXPECT_FALSE(chat("")->answer.logprobs);
  EXPECT_EQ(chat(R"("logprobs":true)")->generation.sampling.logprobs, 0);
  EXPECT_TRUE(chat(R"("logprobs":true)")->answer.logprobs);
  EXPECT_EQ(chat(R"("logprobs":true,"top_logprobs":20)")->generation.sampling.logprobs, 20);
  EXPECT_EQ(chat(R"("logprobs":true,"top_logprobs":21)").error().param, "top_logprobs");
  EXPECT_EQ(chat(R"("logprobs":false,"top_logprobs":2)").error().param, "top_logprobs");
  const auto plain = parse_with(endpoint::completions, R"("logprobs":5)");
  EXPECT_EQ(plain->generation.sampling.logprobs, 5);
  EXPECT_FALSE(plain->generation.sampling.prompt_logprobs);
}

// CASES C26.
TEST(request_parser, echo_and_no_answer) {
  const auto parsed = parse_with(endpoint::completions, R"("echo":true,"logprobs":1,"max_tokens":0)");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(parsed->generation.echo);
  EXPECT_TRUE(parsed->generation.sampling.prompt_logprobs);
  EXPECT_EQ(parsed->generation.max_tokens, 0U);
  EXPECT_EQ(parse_with(endpoint::completions, R"("max_tokens":0)").error().param, "max_tokens");
  EXPECT_EQ(parse_with(endpoint::completions, R"("echo":true)")->generation.max_tokens, 16U);
  EXPECT_FALSE(parse_with(endpoint::completions, R"("echo":true)")->generation.sampling.prompt_logprobs);
}

TEST(request_parser, model_names) {
  const auto named = [](const std::string& model) {
    return parse_request(endpoint::completions, "{" + model + "\"prompt\":\"x\"}", test_context());
  };
  EXPECT_TRUE(named(""));
  EXPECT_TRUE(named("\"model\":\"default\","));
  EXPECT_EQ(named("\"model\":\"default\",")->generation.model, "fake-model");
  const auto unknown = named("\"model\":\"gpt-4\",");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, error_code::model_not_found);
  EXPECT_EQ(named("\"model\":7,").error().code, error_code::invalid_request);
  const auto loading = parse_request(endpoint::completions, R"({"prompt":"x"})", {});
  EXPECT_EQ(loading.error().code, error_code::model_loading);
}

TEST(request_parser, routing) {
  const auto tag = [](const std::string& fields) {
    return parse_with(endpoint::chat, fields)->generation.tag;
  };
  EXPECT_EQ(tag("").tier, service_tier::standard);
  EXPECT_EQ(tag(R"("service_tier":"priority")").tier, service_tier::vip);
  EXPECT_EQ(tag(R"("service_tier":"flex")").type, request_type::batch);
  EXPECT_EQ(tag(R"("service_tier":"flex","request_type":"interactive")").type, request_type::interactive);
  EXPECT_EQ(tag(R"("sensitivity":"realtime")").sensitivity, sensitivity::realtime);
}

TEST(request_parser, unknown_fields_are_named_and_bounded) {
  const auto parsed = parse_with(endpoint::chat, R"("zeta":1,"alpha":{"x":[]},"prompt_cache_key":null)");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->answer.ignored_fields, (std::vector<std::string>{"zeta", "alpha", "prompt_cache_key"}));
  std::string many = "\"" + std::string(5000, 'k') + "\":1";
  for (int i = 0; i < 100; ++i) many += ",\"u" + std::to_string(i) + "\":1";
  const auto bounded = parse_with(endpoint::chat, many);
  ASSERT_TRUE(bounded);
  ASSERT_EQ(bounded->answer.ignored_fields.size(), ignored_limit);
  EXPECT_LT(bounded->answer.ignored_fields[0].size(), 120U);
}

TEST(request_parser, bodies_that_are_no_object) {
  for (const auto where : both) {
    for (const auto* body : {"[]", "7", "\"x\"", "null", "true"}) {
      EXPECT_EQ(parse_request(where, body, test_context()).error().code, error_code::invalid_request) << body;
    }
    EXPECT_EQ(parse_request(where, "", test_context()).error().code, error_code::invalid_json);
  }
}

TEST(request_parser, errors_echo_little_and_valid_text) {
  const auto parsed =
      parse_request(endpoint::chat, "{\"model\":\"" + std::string(100'000, 'x') + "\"}", test_context());
  ASSERT_FALSE(parsed);
  EXPECT_LT(parsed.error().message.size(), 300U);
}

TEST(request_parser, tools_without_effect_are_named) {
  const std::string body =
      R"({"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]})";
  auto context = test_context();
  const auto ignored = parse_request(endpoint::chat, body, context);
  ASSERT_TRUE(ignored);
  EXPECT_EQ(ignored->answer.ignored_fields, std::vector<std::string>{"tools"});
  context.models.front().uses_tools = true;
  EXPECT_TRUE(parse_request(endpoint::chat, body, context)->answer.ignored_fields.empty());
}

}  // namespace
}  // namespace neap::api
