// Routes, methods, headers and keep-alive over real sockets.

#include "server/http/route_table.hpp"

#include "server/api/json_reader.hpp"
#include "server/api/openapi.hpp"
#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

const std::string close_header = "Connection: close\r\n";

// A path that the route takes.
std::string path_of(const route& r) {
  const auto brace = r.path.find('{');
  return std::string(r.path.substr(0, brace)) + (brace == std::string_view::npos ? "" : "fake-model");
}

// Nothing is served that is not described, and nothing described that is not served.
TEST(routes, all_are_described) {
  for (const auto& r : routes()) EXPECT_TRUE(api::has_operation(r.name)) << r.name;
  EXPECT_EQ(api::operation_count(), routes().size());
  const http_fixture server;
  const auto document = api::parse_json(body_of(server.exchange(get("/openapi.json", close_header))));
  ASSERT_TRUE(document);
  EXPECT_EQ(document->find("paths")->object()->size(), routes().size());
  for (const auto& r : routes()) EXPECT_NE(document->find("paths")->find(r.path), nullptr) << r.path;
}

TEST(routes, get_routes_answer_get_and_head) {
  const http_fixture server;
  for (const auto& r : routes()) {
    if (r.method != "GET" || r.path == websocket_path) continue;
    const auto path = path_of(r);
    const auto full = server.exchange(get(path, close_header));
    EXPECT_EQ(status_of(full), 200) << path;
    EXPECT_FALSE(body_of(full).empty()) << path;
    const auto head = server.exchange("HEAD" + get(path, close_header).substr(3));
    EXPECT_EQ(status_of(head), 200) << path;
    EXPECT_EQ(body_of(head), "") << path;
    EXPECT_NE(head.find("Content-Length: " + std::to_string(body_of(full).size())), std::string::npos);
  }
}

TEST(routes, wrong_methods_and_paths) {
  const http_fixture server;
  for (const auto& r : routes()) {
    const auto path = path_of(r);
    const std::string wrong = r.method == "GET" ? post(path, "{}", close_header) : get(path, close_header);
    const auto response = server.exchange(wrong);
    EXPECT_EQ(status_of(response), 405) << path;
    EXPECT_NE(response.find("Allow: " + std::string(r.method)), std::string::npos) << response;
    EXPECT_EQ(status_of(server.exchange("DELETE " + path + " HTTP/1.1\r\nHost: localhost\r\n" + close_header +
                                        "\r\n")),
              405);
  }
  for (const auto* path : {"/", "/v1", "/v1/chat", "/health/", "/HEALTH", "/v1/chat/completions/x"}) {
    const auto response = server.exchange(get(path, close_header));
    EXPECT_EQ(status_of(response), 404) << path;
    EXPECT_NE(response.find(R"("code":"not_found")"), std::string::npos);
  }
  EXPECT_EQ(
      status_of(server.exchange("BREW /health HTTP/1.1\r\nHost: localhost\r\n" + close_header + "\r\n")),
      501);
  EXPECT_EQ(
      status_of(server.exchange("OPTIONS /tokenize HTTP/1.1\r\nHost: localhost\r\n" + close_header + "\r\n")),
      204);
}

// CASES P5.
TEST(routes, old_version_absolute_target_and_query) {
  const http_fixture server;
  const auto old = server.exchange("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(status_of(old), 200);
  EXPECT_NE(old.find("Connection: close"), std::string::npos);
  EXPECT_EQ(status_of(server.exchange(get("http://localhost/health", close_header))), 200);
  EXPECT_EQ(status_of(server.exchange(get("/health?x=1", close_header))), 200);
  EXPECT_EQ(status_of(server.exchange(get("health", close_header))), 404);
}

// CASES C34, C35.
TEST(routes, media_types) {
  const http_fixture server;
  const auto status = [&](const std::string& headers) {
    const std::string body = R"({"prompt":"hi"})";
    return status_of(server.exchange("POST /tokenize HTTP/1.1\r\nHost: localhost\r\n" + close_header +
                                     headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                     body));
  };
  EXPECT_EQ(status(""), 200);
  EXPECT_EQ(status("Content-Type: application/json\r\n"), 200);
  EXPECT_EQ(status("Content-Type: Application/JSON; charset=utf-8\r\n"), 200);
  EXPECT_EQ(status("Content-Encoding: identity\r\n"), 200);
  EXPECT_EQ(status("Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(status("Content-Type: multipart/form-data; boundary=x\r\n"), 415);
  EXPECT_EQ(status("Content-Encoding: gzip\r\n"), 415);
  EXPECT_EQ(status("Content-Encoding: br\r\n"), 415);
}

TEST(routes, host_must_name_loopback) {
  const http_fixture server;
  const auto status = [&](const std::string& host) {
    return status_of(
        server.exchange("GET /health HTTP/1.1\r\nHost: " + host + "\r\n" + close_header + "\r\n"));
  };
  for (const auto* host : {"localhost", "LOCALHOST:8000", "127.0.0.1:1", "127.1.2.3", "[::1]:80"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const auto* host :
       {"example.com", "127.0.0.1.example.com", "localhost.evil.org", "10.0.0.1", "localhost:x",
        "localhost@example.com", "localhost:1@example.com", "[::1", "[::1]x", "local host", ""}) {
    EXPECT_EQ(status(host), 400) << host;
  }
}

// The authority of an absolute target is the host, not the Host header beside it.
TEST(routes, an_absolute_target_names_the_host) {
  const http_fixture server;
  const auto status = [&](const std::string& target, const std::string& version, const std::string& host) {
    return status_of(
        server.exchange("GET " + target + " HTTP/" + version + "\r\n" + host + close_header + "\r\n"));
  };
  const std::string local = "Host: localhost\r\n";
  for (const auto* good :
       {"http://localhost/health", "HTTP://127.0.0.1:80/health", "http://[::1]:80/health?x"}) {
    EXPECT_EQ(status(good, "1.1", local), 200) << good;
    EXPECT_EQ(status(good, "1.1", "Host: example.com\r\n"), 200) << good;
    EXPECT_EQ(status(good, "1.1", ""), 400) << good;
    EXPECT_EQ(status(good, "1.0", ""), 200) << good;
  }
  for (const auto* evil : {"http://evil/health", "HTTP://evil:80/health", "http://evil.localhost.org/health",
                           "http://localhost@evil/health", "http://localhost:80@evil/health",
                           "http:///health", "http://[::1]evil/health", "http://127.0.0.1.evil/health"}) {
    EXPECT_EQ(status(evil, "1.1", local), 400) << evil;
    EXPECT_EQ(status(evil, "1.0", ""), 400) << evil;
  }
}

// CASES P2.
TEST(keep_alive, pipelined_requests_are_answered_in_order) {
  const http_fixture server;
  raw_client client(server.port());
  std::string all;
  for (int i = 0; i < 10; ++i)
    all += post("/tokenize", R"({"prompt":")" + std::string(static_cast<std::size_t>(i + 1), 'x') + "\"}");
  client.send(all + get("/health", close_header));
  const auto responses = client.read_all();
  std::size_t at = 0;
  for (int i = 0; i < 10; ++i) {
    at = responses.find("\"count\":" + std::to_string(i + 1) + ",", at);
    ASSERT_NE(at, std::string::npos) << i << responses;
  }
  EXPECT_NE(responses.find(R"({"status":"ok"})", at), std::string::npos);
}

TEST(keep_alive, a_bad_request_in_the_middle_is_answered_in_its_place) {
  const http_fixture server;
  raw_client client(server.port());
  client.send(post("/tokenize", R"({"prompt":"a"})") + post("/tokenize", "{bad") +
              get("/health", close_header));
  const auto responses = client.read_all();
  const auto good = responses.find("\"count\":1,");
  const auto bad = responses.find("invalid_json");
  const auto last = responses.find(R"({"status":"ok"})");
  EXPECT_TRUE(good < bad && bad < last && last != std::string::npos) << responses;
}

// CASES P3.
TEST(expect_continue, asks_for_the_body_or_answers_at_once) {
  const http_fixture server;
  raw_client client(server.port());
  const std::string body = R"({"prompt":"hi"})";
  const std::string headers = "Host: localhost\r\nExpect: 100-continue\r\nContent-Length: 15\r\n";
  client.send("POST /tokenize HTTP/1.1\r\n" + headers + "\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(body);
  EXPECT_EQ(status_of(client.read_until("]}")), 200);
  EXPECT_EQ(status_of(server.exchange("POST /nowhere HTTP/1.1\r\n" + headers + "\r\n")), 404);
  EXPECT_EQ(status_of(server.exchange("POST /tokenize HTTP/1.1\r\nContent-Type: text/plain\r\n" + headers +
                                      "\r\n")),
            415);
}

TEST(readiness_routes, follow_the_gateway) {
  http_fixture server;
  for (const auto& [state, status] : {std::pair{readiness::loading, 503},
                                      {readiness::draining, 503},
                                      {readiness::failed, 503},
                                      {readiness::ready, 200}}) {
    server.gateway.state = state;
    const auto response = server.exchange(get("/ready", close_header));
    EXPECT_EQ(status_of(response), status);
    EXPECT_EQ(response.find("Retry-After: 1") != std::string::npos, status == 503);
    EXPECT_EQ(status_of(server.exchange(get("/health", close_header))), 200);
  }
}

TEST(bind, refuses_what_cannot_work) {
  const http_fixture server;
  server_options options;
  options.port = server.port();
  const auto taken = http_server::bind(options);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("in use"), std::string::npos);
  options.host = "0.0.0.0";
  EXPECT_NE(http_server::bind(options).error().message.find("--insecure"), std::string::npos);
  options.host = "no such host";
  EXPECT_FALSE(http_server::bind(options));
}

}  // namespace
}  // namespace neap::http
