// /v1/embeddings over real sockets, with a scripted engine.

#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

const std::string close_header = "Connection: close\r\n";

test::script vectors_script(const generation_request& request) {
  test::script out;
  test::then(out, stream_accepted{std::vector<std::uint32_t>(request.prompts.size(), 3)});
  for (std::uint32_t i = static_cast<std::uint32_t>(request.prompts.size()); i-- > 0;) {
    test::then(out, stream_embedding{i, {static_cast<float>(i), 1.0F}});
    test::then(out, stream_choice_end{i, finish_reason::length});
  }
  test::then(out, stream_summary{});
  return out;
}

TEST(embedding_answer, vectors_stand_in_the_order_of_the_inputs) {
  http_fixture server;
  server.gateway.on_submit = vectors_script;
  const auto answer =
      server.exchange(post("/v1/embeddings", R"({"input":["a","b"],"dimensions":null})", close_header));
  EXPECT_EQ(status_of(answer), 200) << answer;
  EXPECT_LT(body_of(answer).find("\"index\":0,\"embedding\":[0,1]"),
            body_of(answer).find("\"index\":1,\"embedding\":[0.7"));
  EXPECT_TRUE(server.gateway.last_request().embeds);
}

TEST(embedding_answer, a_failure_names_the_input) {
  http_fixture server;
  server.gateway.on_submit = [](const auto&) {
    return test::failing_script({error_code::context_length_exceeded, "too long", "prompt"});
  };
  const auto answer = server.exchange(post("/v1/embeddings", R"({"input":"a"})", close_header));
  EXPECT_EQ(status_of(answer), 400);
  EXPECT_NE(answer.find("\"param\":\"input\""), std::string::npos);
  EXPECT_NE(answer.find("context_length_exceeded"), std::string::npos);
}

TEST(embedding_answer, a_client_that_leaves_cancels) {
  http_fixture server;
  server.gateway.on_submit = [](const auto&) {
    test::script out;
    test::then(out, stream_summary{}, std::chrono::seconds(60));
    return out;
  };
  raw_client client(server.port());
  client.send(post("/v1/embeddings", R"({"input":"a"})"));
  while (server.gateway.submitted() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  client.reset();
  EXPECT_TRUE(server.gateway.wait_cancelled(1, std::chrono::seconds(10)));
}

}  // namespace
}  // namespace neap::http
