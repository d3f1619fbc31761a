// Generations over real sockets: streams, whole answers, errors before and after the first byte, departures.

#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace neap::http {
namespace {

using std::chrono::milliseconds;

const std::string plain = R"({"messages":[{"role":"user","content":"hi"}]})";
const std::string streamed = R"({"messages":[{"role":"user","content":"hi"}],"stream":true})";

std::string chat(const std::string& body, const std::string& headers = "Connection: close\r\n") {
  return post("/v1/chat/completions", body, headers);
}

test::script endless(milliseconds pause) {
  auto events = test::words_script({});
  events.resize(1);
  for (int i = 0; i < 100'000; ++i) test::then(events, stream_delta{0, "word ", {1}}, pause);
  return events;
}

TEST(streaming, whole_answer) {
  http_fixture server;
  const auto response = server.exchange(chat(plain));
  EXPECT_EQ(status_of(response), 200);
  EXPECT_NE(response.find(R"("content":"one two three")"), std::string::npos) << response;
  EXPECT_NE(response.find(R"("total_tokens":8)"), std::string::npos);
}

TEST(streaming, events_in_order_and_the_connection_lives_on) {
  http_fixture server;
  raw_client client(server.port());
  client.send(chat(streamed, ""));
  const auto response = client.read_until("0\r\n\r\n");
  EXPECT_EQ(status_of(response), 200);
  EXPECT_NE(response.find("Content-Type: text/event-stream"), std::string::npos);
  const auto body = body_of(response);
  std::size_t at = 0;
  for (const auto* part :
       {R"("role":"assistant")", R"("content":"one")", R"("content":" two")", R"("content":" three")",
        R"("finish_reason":"stop")", R"("timings")", "data: [DONE]\n\n"}) {
    at = body.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << body;
  }
  EXPECT_EQ(body.find("\"usage\""), std::string::npos);
  client.send(get("/health"));
  EXPECT_EQ(status_of(client.read_until("}")), 200);
}

TEST(streaming, old_clients_get_an_unframed_stream) {
  http_fixture server;
  const auto response = server.exchange("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: " +
                                        std::to_string(streamed.size()) + "\r\n\r\n" + streamed);
  EXPECT_EQ(response.find("Transfer-Encoding"), std::string::npos);
  EXPECT_TRUE(response.ends_with("data: [DONE]\n\n")) << response;
}

// Stream and whole answer agree on a refusal. CASES C31, C22.
TEST(streaming, errors_before_the_first_byte_use_the_status_line) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    return test::failing_script(
        error{error_code::context_length_exceeded, "9 tokens do not fit 8", "messages"});
  };
  for (const auto& body : {plain, streamed}) {
    const auto response = server.exchange(chat(body));
    EXPECT_EQ(status_of(response), 400);
    EXPECT_NE(response.find(R"("code":"context_length_exceeded")"), std::string::npos);
  }
  // Also once the request was accepted, as long as there is no text.
  server.gateway.on_submit = [](const generation_request&) {
    auto events = test::words_script({});
    events.resize(1);
    test::then(events, error{error_code::deadline_exceeded, "too late", ""}, milliseconds(20));
    return events;
  };
  for (const auto& body : {plain, streamed}) EXPECT_EQ(status_of(server.exchange(chat(body))), 408);
  server.gateway.on_submit = [](const generation_request&) {
    return test::failing_script(error{error_code::server_overloaded, "the queue is full", ""});
  };
  const auto busy = server.exchange(chat(streamed));
  EXPECT_EQ(status_of(busy), 503);
  EXPECT_NE(busy.find("Retry-After: "), std::string::npos);
}

// CASES C47, C48.
TEST(streaming, errors_after_the_first_byte_are_events_then_done_then_close) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    auto events = test::words_script({"a", "b", "c"});
    events.resize(4);
    test::then(events, error{error_code::internal, "the engine failed", ""}, milliseconds(20));
    return events;
  };
  raw_client client(server.port());
  client.send(chat(streamed, ""));
  const auto body = body_of(client.read_all());
  EXPECT_TRUE(client.closed());
  const auto at = body.find(R"(data: {"error":{"message":"the engine failed","type":"server_error")");
  ASSERT_NE(at, std::string::npos) << body;
  EXPECT_TRUE(body.ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(body.find("finish_reason\":\"stop"), std::string::npos);
  EXPECT_EQ(status_of(server.exchange(chat(plain))), 500);
}

// CASES C64, C67: FIN, RST and half-close each cancel, while tokens flow and before the first one.
TEST(streaming, departure_cancels) {
  http_fixture server;
  std::size_t expected = 0;
  for (const bool before_first : {false, true}) {
    server.gateway.on_submit = [&](const generation_request&) {
      auto events = endless(milliseconds(2));
      if (before_first) events.front().pause = milliseconds(60'000);
      return events;
    };
    for (const auto* body : {&plain, &streamed}) {
      for (int way = 0; way < 3; ++way) {
        raw_client client(server.port());
        client.send(chat(*body, ""));
        if (!before_first && body == &streamed) client.read_until("word");
        while (server.gateway.submitted() <= expected) std::this_thread::yield();
        way == 0 ? client.close() : way == 1 ? client.reset() : client.half_close();
        EXPECT_TRUE(server.gateway.wait_cancelled(++expected, milliseconds(3000))) << way << before_first;
      }
    }
  }
  EXPECT_TRUE(server.live());
}

TEST(streaming, fifty_leave_at_once_with_unread_data) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) { return endless(milliseconds(5)); };
  std::vector<std::unique_ptr<raw_client>> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<raw_client>(server.port()));
    clients.back()->send(chat(streamed, ""));
  }
  while (server.gateway.submitted() < 50) std::this_thread::yield();
  for (std::size_t i = 0; i < 50; ++i) i % 2 == 0 ? clients[i]->reset() : clients[i]->close();
  EXPECT_TRUE(server.gateway.wait_cancelled(50, milliseconds(5000)));
  EXPECT_TRUE(server.live());
}

TEST(streaming, pipelined_request_during_a_stream_waits_its_turn) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    return test::words_script({"x", "y"}, milliseconds(30));
  };
  raw_client client(server.port());
  client.send(chat(streamed, ""));
  client.read_until("role");
  client.send(get("/health", "Connection: close\r\n"));
  const auto rest = client.read_all();
  const auto done = rest.find("[DONE]");
  EXPECT_NE(done, std::string::npos);
  EXPECT_NE(rest.find(R"({"status":"ok"})", done), std::string::npos) << rest;
}

// What a client sends ahead is bounded here and waits in the kernel; none of it is lost.
TEST(streaming, pipelining_far_ahead_of_a_stream_loses_nothing) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    return test::words_script({"x", "y"}, milliseconds(150));
  };
  raw_client client(server.port());
  client.send(chat(streamed, ""));
  client.read_until("role");
  constexpr int count = 400;
  std::string ahead;
  for (int i = 1; i <= count; ++i) {
    ahead += post("/tokenize", R"({"prompt":")" + std::string(static_cast<std::size_t>(i), 'x') + "\"}",
                  "X: " + std::string(2000, 'x') + "\r\n");
  }
  std::thread sender([&] { client.send(ahead + get("/health", "Connection: close\r\n")); });
  const auto rest = client.read_all(milliseconds(20'000));
  sender.join();
  auto at = rest.find("[DONE]");
  for (int i = 1; i <= count && at != std::string::npos; ++i) {
    at = rest.find("\"count\":" + std::to_string(i) + ",", at);
  }
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(rest.find(R"({"status":"ok"})", at), std::string::npos);
}

// CASES C70 at this level: a drain ends connections after their answers and takes no new work.
TEST(streaming, drain_finishes_answers_and_closes) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    return test::words_script({"x", "y", "z"}, milliseconds(200));
  };
  raw_client idle(server.port());
  idle.send(get("/health"));
  idle.read_until("}");
  raw_client client(server.port());
  client.send(chat(streamed, ""));
  client.read_until("role");
  server.server->begin_drain();
  EXPECT_EQ(status_of(server.exchange(get("/health"))), 200);
  EXPECT_EQ(status_of(server.exchange(get("/metrics"))), 200);
  const auto ready = server.exchange(get("/ready"));
  EXPECT_EQ(status_of(ready), 503);
  EXPECT_NE(ready.find("Connection: close"), std::string::npos);
  for (const auto& work :
       {chat(plain, ""), chat(streamed, ""), post("/tokenize", R"({"prompt":"x"})"), get("/v1/models")}) {
    raw_client late(server.port());
    late.send(work);
    const auto refused = late.read_all();
    EXPECT_EQ(status_of(refused), 503) << refused;
    EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
    EXPECT_TRUE(late.closed());
  }
  EXPECT_EQ(server.gateway.submitted(), 1U);
  const auto rest = client.read_all();
  EXPECT_NE(rest.find("[DONE]"), std::string::npos);
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(idle.closed());
  client.close();
  raw_client waiting(server.port());
  const auto begin = std::chrono::steady_clock::now();
  server.server->stop(milliseconds(2000));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1500));
  EXPECT_ANY_THROW(raw_client{server.port()});
}

}  // namespace
}  // namespace neap::http
