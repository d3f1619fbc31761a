#include "server/api/service_bodies.hpp"

#include "tests/server/request_helpers.hpp"

#include <gtest/gtest.h>

namespace neap::api {
namespace {

TEST(service_bodies, tokenize) {
  const auto plain = parse_tokenize(R"({"prompt":"hi"})", test_context());
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->text, "hi");
  EXPECT_TRUE(plain->add_special_tokens);
  EXPECT_FALSE(plain->parse_special);
  const auto set = parse_tokenize(
      R"({"model":"default","prompt":"","add_special_tokens":false,"parse_special":true})", test_context());
  ASSERT_TRUE(set);
  EXPECT_FALSE(set->add_special_tokens);
  EXPECT_TRUE(set->parse_special);
  EXPECT_EQ(tokens_body({1, 2}, 4096), R"({"count":2,"max_model_len":4096,"tokens":[1,2]})");
}

TEST(service_bodies, tokenize_refuses) {
  for (const auto* body :
       {"{}", "[]", R"({"prompt":7})", R"({"prompt":null})", R"({"prompt":["a"]})",
        R"({"prompt":"x","parse_special":1})", R"({"prompt":"x","add_special_tokens":"no"})"}) {
    EXPECT_EQ(parse_tokenize(body, test_context()).error().code, error_code::invalid_request) << body;
  }
  EXPECT_EQ(parse_tokenize(R"({"model":"x","prompt":"x"})", test_context()).error().code,
            error_code::model_not_found);
}

TEST(service_bodies, detokenize) {
  const auto tokens = parse_detokenize(R"({"tokens":[0,999]})", test_context());
  ASSERT_TRUE(tokens);
  EXPECT_EQ(*tokens, (std::vector<token_id>{0, 999}));
  EXPECT_TRUE(parse_detokenize(R"({"tokens":[]})", test_context()));
  for (const auto* body : {"{}", R"({"tokens":7})", R"({"tokens":[1000]})", R"({"tokens":[-1]})",
                           R"({"tokens":[1.5]})", R"({"tokens":["1"]})"}) {
    const auto refused = parse_detokenize(body, test_context());
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(refused.error().param, "tokens");
  }
  EXPECT_EQ(text_body("a\"b"), R"({"prompt":"a\"b"})");
}

TEST(service_bodies, models) {
  EXPECT_EQ(
      models_body({{"m", 128, 10, 5}}),
      R"({"object":"list","data":[{"id":"m","object":"model","created":5,"owned_by":"neap","max_model_len":128}]})");
  EXPECT_EQ(models_body({}), R"({"object":"list","data":[]})");
}

}  // namespace
}  // namespace neap::api
