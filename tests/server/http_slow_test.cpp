// Slow and stalled clients, with short limits.

#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace neap::http {
namespace {

using std::chrono::milliseconds;

limits short_limits() {
  limits out;
  out.header_time = milliseconds(200);
  out.body_grace = milliseconds(200);
  out.idle_time = milliseconds(300);
  out.stalled_time = milliseconds(300);
  return out;
}

TEST(slow_clients, dribbled_header_is_cut) {
  const http_fixture server(short_limits());
  raw_client client(server.port());
  client.send("GET /health HTTP/1.1\r\nHost: local");
  const auto response = client.read_all();
  EXPECT_EQ(status_of(response), 408);
  EXPECT_TRUE(client.closed());
}

TEST(slow_clients, silent_connection_is_closed_without_a_word) {
  const http_fixture server(short_limits());
  raw_client client(server.port());
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(client.closed());
}

TEST(slow_clients, idle_keep_alive_ends) {
  const http_fixture server(short_limits());
  raw_client client(server.port());
  client.send(get("/health"));
  EXPECT_EQ(status_of(client.read_all()), 200);
  EXPECT_TRUE(client.closed());
}

TEST(slow_clients, slow_body_is_cut_and_a_fast_enough_one_is_not) {
  auto with = short_limits();
  with.body_bytes_per_second = 100;
  const http_fixture server(with);
  raw_client slow(server.port());
  slow.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{");
  EXPECT_EQ(status_of(slow.read_all()), 408);
  raw_client steady(server.port());
  const std::string body = R"({"prompt":")" + std::string(89, 'x') + "\"}";
  steady.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 102\r\n\r\n" +
              body.substr(0, 60));
  std::this_thread::sleep_for(milliseconds(400));
  steady.send(body.substr(60));
  EXPECT_EQ(status_of(steady.read_until("]}")), 408 - 208);
}

// A reader that takes nothing is paused, then cut off; others are not disturbed.
TEST(slow_clients, stalled_reader_is_cancelled) {
  http_fixture server(short_limits());
  server.gateway.on_submit = [](const generation_request&) {
    auto events = test::words_script({});
    events.resize(1);
    const std::string text(1000, 'x');
    for (int i = 0; i < 100'000; ++i) test::then(events, stream_delta{0, text, {1}});
    return events;
  };
  raw_client client(server.port(), 4096);
  client.send(post("/v1/completions", R"({"prompt":"x","stream":true})"));
  EXPECT_TRUE(server.gateway.wait_cancelled(1, milliseconds(5000)));
  EXPECT_TRUE(server.live());
}

// Whoever lags and comes back gets every token, in fewer events.
TEST(slow_clients, lagging_reader_loses_nothing) {
  auto with = short_limits();
  with.stalled_time = milliseconds(10'000);
  http_fixture server(with);
  std::string sent;
  server.gateway.on_submit = [&](const generation_request&) {
    std::vector<std::string> words;
    for (int i = 0; i < 6000; ++i) words.push_back("w" + std::to_string(i) + " ");
    for (const auto& word : words) sent += word;
    return test::words_script(words);
  };
  // Smaller receive buffers than a loopback segment make the kernel itself probe at timer speed.
  raw_client client(server.port(), 65536);
  client.send(post("/v1/completions", R"({"prompt":"x","stream":true})", "Connection: close\r\n"));
  std::this_thread::sleep_for(milliseconds(500));
  const auto body = body_of(client.read_all(milliseconds(20'000)));
  std::string text;
  const std::string mark = "\"text\":\"";
  for (auto at = body.find(mark); at != std::string::npos; at = body.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    text += body.substr(begin, body.find('"', begin) - begin);
  }
  EXPECT_EQ(text, sent);
  EXPECT_TRUE(body.ends_with("data: [DONE]\n\n"));
}

}  // namespace
}  // namespace neap::http
