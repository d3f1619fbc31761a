// Limits over all connections together, and what the log says of them.

#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>

namespace neap::http {
namespace {

using std::chrono::milliseconds;

TEST(overload, connections_over_the_limit_get_503_and_are_closed) {
  limits few;
  few.connections = 4;
  const http_fixture server(few);
  {
    std::vector<std::unique_ptr<raw_client>> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(std::make_unique<raw_client>(server.port()));
      clients.back()->send(get("/health"));
      EXPECT_EQ(status_of(clients.back()->read_until("}")), 200);
    }
    raw_client excess(server.port());
    excess.send(get("/v1/models"));
    const auto refused = excess.read_all();
    EXPECT_EQ(status_of(refused), 503) << refused;
    EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
    EXPECT_NE(refused.find(R"("code":"server_overloaded")"), std::string::npos);
    EXPECT_TRUE(excess.closed());
    for (const auto* path : {"/health", "/ready"}) {
      raw_client probe(server.port());
      probe.send(get(path));
      const auto answer = probe.read_all();
      EXPECT_EQ(status_of(answer), 200) << path;
      EXPECT_NE(answer.find("Connection: close"), std::string::npos);
    }
  }
  for (int i = 0; i < 100 && !server.live(); ++i) std::this_thread::sleep_for(milliseconds(20));
  EXPECT_TRUE(server.live());
}

TEST(overload, a_silent_connection_over_the_limit_is_refused_soon_and_a_flood_is_dropped) {
  limits few;
  few.connections = 1;
  few.probe_connections = 2;
  few.probe_time = milliseconds(300);
  const http_fixture server(few);
  raw_client first(server.port());
  first.send(get("/health"));
  EXPECT_EQ(status_of(first.read_until("}")), 200);
  raw_client silent(server.port());
  raw_client half(server.port());
  half.send("GET /health HTTP/1.1\r\n");
  std::this_thread::sleep_for(milliseconds(50));
  raw_client flood(server.port());
  flood.send(get("/health"));
  EXPECT_EQ(flood.read_all(), "");
  EXPECT_EQ(status_of(silent.read_all()), 503);
  EXPECT_EQ(status_of(half.read_all()), 408);
  for (int i = 0; i < 100 && !server.live(); ++i) std::this_thread::sleep_for(milliseconds(20));
  EXPECT_TRUE(server.live());
}

TEST(overload, all_bodies_together_are_bounded) {
  limits small;
  small.all_bodies_bytes = 50'000;
  const http_fixture server(small);
  const std::string head = "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40000\r\n\r\n";
  {
    raw_client first(server.port());
    first.send(head + std::string(39'000, ' '));
    std::string refused;
    for (int i = 0; i < 100 && status_of(refused) != 503; ++i) {
      raw_client next(server.port());
      next.send(head + std::string(39'000, ' '));
      refused = next.read_until("}", milliseconds(100));
    }
    EXPECT_EQ(status_of(refused), 503);
    EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
  }
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    status = status_of(server.exchange(
        post("/tokenize", R"({"prompt":")" + std::string(40'000, 'x') + "\"}", "Connection: close\r\n")));
  }
  EXPECT_EQ(status, 200);  // everything was given back
}

// No descriptors left: the accept loop waits, says so, and goes on.
TEST(overload, accepting_survives_the_lack_of_descriptors) {
  http_fixture server;
  EXPECT_TRUE(server.live());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  raw_client client(server.port());
  client.send(get("/health"));
  EXPECT_EQ(status_of(client.read_until("}")), 200);
  raw_client waiting(server.port());
  waiting.send(get("/health"));
  EXPECT_EQ(status_of(waiting.read_until("}")), 200);
  const int used = ::socket(AF_INET, SOCK_STREAM, 0);  // connects when no other descriptor is free
  rlimit none{static_cast<rlim_t>(used + 1), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  raw_client late(server.port(), 0, used);
  late.send(get("/health"));
  EXPECT_EQ(late.read_until("}", milliseconds(200)), "");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(status_of(late.read_until("}")), 200);
  EXPECT_EQ(server.count_log("cannot accept connections"), 1U);
}

TEST(overload, failures_and_departures_are_logged_with_the_request) {
  http_fixture server;
  server.gateway.on_submit = [](const generation_request&) {
    return test::failing_script(error{error_code::internal, "the engine failed", ""});
  };
  const auto response =
      server.exchange(post("/v1/completions", R"({"prompt":"x"})", "Connection: close\r\n"));
  EXPECT_EQ(status_of(response), 500);
  const auto at = response.find("X-Request-Id: ");
  ASSERT_NE(at, std::string::npos);
  const auto id = std::to_string(std::stoul(response.substr(at + 14)));
  EXPECT_EQ(server.count_log("internal error: request " + id + ": the engine failed"), 1U);
  server.gateway.on_submit = [](const generation_request&) {
    auto events = test::words_script({"a"});
    events.back().pause = milliseconds(60'000);
    return events;
  };
  raw_client client(server.port());
  client.send(post("/v1/completions", R"({"prompt":"x","stream":true})"));
  client.read_until("\"a\"");
  client.close();
  EXPECT_TRUE(server.gateway.wait_cancelled(1, milliseconds(3000)));
  EXPECT_EQ(server.count_log("the client left: request"), 1U);
}

TEST(event_log, one_line_a_kind_and_second_with_the_count_of_the_rest) {
  std::vector<std::string> lines;
  event_log log([&](bool, const std::string& line) { lines.push_back(line); });
  const event_log::time_point begin{};
  for (int i = 0; i < 10; ++i) log.report(event_kind::internal_error, "a", begin);
  log.report(event_kind::client_left, "b", begin);
  ASSERT_EQ(lines.size(), 2U);
  log.report(event_kind::internal_error, "c", begin + std::chrono::seconds(1));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NE(lines.back().find("9 more"), std::string::npos);
  log.report(event_kind::internal_error, "d", begin + std::chrono::seconds(1));
  log.flush();
  log.flush();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines.back().find("1 more"), std::string::npos);
}

}  // namespace
}  // namespace neap::http
