#include "server/api/embeddings.hpp"

#include "server/api/base64.hpp"
#include "server/api/json_reader.hpp"
#include "server/api/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace neap::api {
namespace {

result<embedding_request> parse(const std::string& fields) {
  validation_context context{{{"fake-model", 4096, 1000, 1}}, 77};
  context.models.front().embedding_length = 8;
  return parse_embeddings("{" + fields + "}", context);
}

std::string param_of(const std::string& fields) {
  const auto parsed = parse(fields);
  return parsed ? "accepted" : parsed.error().param;
}

TEST(embeddings, inputs_in_four_forms) {
  for (const auto* input : {"\"a\"", "[\"a\",\"b\"]", "[1,2,3]", "[[1],[2,3]]"}) {
    const auto parsed = parse(std::string("\"input\":") + input);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(parsed->generation.embeds);
    EXPECT_EQ(parsed->generation.max_tokens, 0U);
    EXPECT_EQ(parsed->answer.dimensions, 8U);
  }
  EXPECT_EQ(parse(R"("input":["a","b"])")->generation.prompts.size(), 2U);
}

TEST(embeddings, faults_name_their_field) {
  for (const auto* input : {"", "\"input\":null", "\"input\":[]", "\"input\":7", "\"input\":[\"a\",1]",
                            "\"input\":[1000]", "\"input\":[[]]", "\"input\":{}"})
    EXPECT_EQ(param_of(input), "input") << input;
  std::string many = "\"input\":[\"a\"";
  for (int i = 0; i < 128; ++i) many += ",\"a\"";
  EXPECT_EQ(param_of(many + "]"), "input") << "at most 128";
  EXPECT_EQ(param_of(R"("input":"a","encoding_format":"int8")"), "encoding_format");
  EXPECT_EQ(param_of(R"("input":"a","encoding_format":1)"), "encoding_format");
  for (const auto* wrong : {"0", "9", "-1", "1.5", "\"8\""})
    EXPECT_EQ(param_of(std::string(R"("input":"a","dimensions":)") + wrong), "dimensions") << wrong;
  EXPECT_EQ(param_of(R"("input":"a","user":7)"), "user");
  EXPECT_EQ(param_of(R"("input":"a","priority":"x")"), "priority");
  EXPECT_EQ(param_of(R"("input":"a","dimensions":8,"user":"me","encoding_format":"base64")"), "accepted");
  EXPECT_EQ(parse_embeddings("[]", {}).error().code, error_code::invalid_request);
  EXPECT_EQ(parse(R"("input":"a","zeta":1)")->answer.ignored_fields, std::vector<std::string>{"zeta"});
}

TEST(embeddings, vectors_have_length_1_also_when_cut) {
  embedding_options options{3, false, "m", {}};
  stream_summary summary;
  summary.usage.prompt_tokens = 7;
  const std::vector<std::vector<float>> vectors{{3, 0, 4, 12}, {0, 0, 0, 1}};
  const auto body = parse_json(embeddings_body(options, vectors, summary));
  ASSERT_TRUE(body);
  const auto& data = *body->find("data")->array();
  EXPECT_EQ(to_json(*data[0].find("embedding")), "[0.6,0,0.8]");
  EXPECT_EQ(to_json(*data[1].find("embedding")), "[0,0,0]") << "nothing to scale";
  EXPECT_EQ(to_json(*data[1].find("index")), "1");
  EXPECT_EQ(to_json(*body->find("usage")), R"({"prompt_tokens":7,"total_tokens":7})");
  EXPECT_NE(body->find("neap"), nullptr);
}

TEST(embeddings, base64_is_little_endian_floats) {
  EXPECT_EQ(base64_of(std::vector<float>{}), "");
  EXPECT_EQ(base64_of(std::vector<float>{1.0F}), "AACAPw==");
  EXPECT_EQ(base64_of(std::vector<float>{1.0F, -2.0F}), "AACAPwAAAMA=");
  EXPECT_EQ(base64_of(std::vector<float>{0.0F, 0.5F, -1.0F}), "AAAAAAAAAD8AAIC/");
}

}  // namespace
}  // namespace neap::api
