// The bytes of one answer, without sockets.

#include "server/http/exchange.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

struct exchange_world {
  std::atomic<bool> draining{false};
  int wakes = 0;
  std::vector<std::string> lines;
  event_log log{[this](bool, const std::string& line) { lines.push_back(line); }};

  exchange_ptr make(const std::string& method, int version = 11) {
    request_head head;
    head.method = method;
    head.version = version;
    head.keep_alive = version == 11;
    return std::make_shared<exchange>(
        7, head, received_body{},
        exchange_hooks{[](auto task) { task(); }, [this] { ++wakes; }, &draining, &log});
  }
};

TEST(exchange, whole_answer_once) {
  exchange_world world;
  const auto x = world.make("GET");
  response answer;
  answer.body = "{}";
  answer.headers.emplace_back("Retry-After", "1");
  x->respond(answer);
  x->respond(answer);
  const auto bytes = x->take_output();
  EXPECT_TRUE(bytes.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(bytes.find("X-Request-Id: 7\r\n"), std::string::npos);
  EXPECT_NE(bytes.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with("\r\n\r\n{}"));
  EXPECT_EQ(bytes.find("HTTP/1.1", 1), std::string::npos);
  EXPECT_TRUE(x->ended());
  EXPECT_FALSE(x->close_after());
  EXPECT_EQ(world.wakes, 1);
}

TEST(exchange, stream_is_chunked) {
  exchange_world world;
  const auto x = world.make("POST");
  x->begin_stream({});
  x->take_output();
  x->write("0123456789abcdef");
  x->end_stream(false);
  EXPECT_EQ(x->take_output(), "10\r\n0123456789abcdef\r\n0\r\n\r\n");
}

TEST(exchange, draining_ends_the_connection) {
  exchange_world world;
  const auto x = world.make("GET");
  world.draining = true;
  x->respond({});
  EXPECT_TRUE(x->close_after());
  EXPECT_NE(x->take_output().find("Connection: close"), std::string::npos);
}

TEST(exchange, departure_is_told_once_and_later_output_is_dropped) {
  exchange_world world;
  const auto x = world.make("POST");
  int gone = 0;
  x->on_gone([&] { ++gone; });
  x->begin_stream({});
  x->client_gone();
  x->client_gone();
  x->write("late");
  x->end_stream(false);
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(x->take_output(), "");
  EXPECT_FALSE(x->ended());
  ASSERT_EQ(world.lines.size(), 1U);
  EXPECT_NE(world.lines[0].find("request 7"), std::string::npos);
}

TEST(exchange, no_departure_after_the_end) {
  exchange_world world;
  const auto x = world.make("POST");
  int gone = 0;
  x->on_gone([&] { ++gone; });
  x->begin_stream({});
  x->end_stream(false);
  x->client_gone();
  EXPECT_EQ(gone, 0);
}

TEST(exchange, counts_what_the_socket_has_not_taken) {
  exchange_world world;
  const auto x = world.make("POST");
  int drained = 0;
  x->on_drained([&] { ++drained; });
  x->begin_stream({});
  const auto size = x->buffered();
  EXPECT_GT(size, 0U);
  x->take_output();
  EXPECT_EQ(x->buffered(), size);
  x->output_written();
  EXPECT_EQ(x->buffered(), 0U);
  EXPECT_EQ(drained, 1);
}

TEST(exchange, abort_drops_what_waits) {
  exchange_world world;
  const auto x = world.make("POST");
  x->begin_stream({});
  x->abort();
  EXPECT_EQ(x->take_output(), "");
  EXPECT_TRUE(x->ended() && x->aborted() && x->close_after());
}

}  // namespace
}  // namespace neap::http
