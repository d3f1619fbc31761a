// Framing that two parsers could read differently, over real sockets. CASES C32.

#include "tests/server/raw_client.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

const std::string hidden = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string body = R"({"prompt":"hi"})";

std::string head(const std::string& framing, const std::string& version = "1.1") {
  return "POST /tokenize HTTP/" + version + "\r\nHost: localhost\r\n" + framing + "\r\n";
}

class refused_framing : public testing::TestWithParam<std::string> {};

TEST_P(refused_framing, gives_400_closes_and_runs_nothing_behind_it) {
  const http_fixture server;
  raw_client client(server.port());
  client.send(GetParam() + body + hidden);
  const auto response = client.read_all();
  EXPECT_EQ(status_of(response), 400) << response;
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(response.find("Server: neap"), response.rfind("Server: neap"))
      << "a second response: " << response;
  EXPECT_EQ(response.find("neap:num_requests_running"), std::string::npos);
  EXPECT_NE(response.find(R"("type":"invalid_request_error")"), std::string::npos);
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(server.live());
}

INSTANTIATE_TEST_SUITE_P(
    c32, refused_framing,
    testing::Values(
        head("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n"),
        head("Content-Length: 5\r\nTransfer-Encoding: gzip\r\n"),
        head("Transfer-Encoding: chunked, gzip\r\n"), head("Transfer-Encoding: gzip, chunked\r\n"),
        head("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"),
        head("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"),
        head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        head("Transfer-Encoding: identity\r\n"), head("Transfer-Encoding: xchunked\r\n"),
        head("Transfer-Encoding: \"chunked\"\r\n"), head("Transfer-Encoding:\r\n"),
        head("Transfer-Encoding : chunked\r\n"), head("Content-Length : 15\r\n"),
        head("Content-Length: 15\r\nContent-Length: 15\r\n"),
        head("Content-Length: 15\r\nContent-Length: 5\r\n"), head("Content-Length: 15, 15\r\n"),
        head("Content-Length: +5\r\n"), head("Content-Length: 0x5\r\n"), head("Content-Length: -1\r\n"),
        head("Content-Length: 5 5\r\n"), head("Content-Length: \r\n"),
        head("Content-Length: 99999999999999999999999\r\n"), head("Transfer-Encoding: chunked\r\n", "1.0"),
        head("Transfer-Encoding:\r\n chunked\r\n"), head("Transfer-Encoding: chunked\r\n \r\n"),
        head("X: a\r\n\tTransfer-Encoding: chunked\r\n"), head("X: a\r\n Content-Length: 15\r\n"),
        "POST /tokenize HTTP/1.1\r\n Host: localhost\r\nContent-Length: 15\r\n\r\n",
        "POST /tokenize HTTP/1.1\r\nContent-Length: 15\r\n\r\n",
        "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n",
        "POST /tokenize HTTP/1.1\nHost: localhost\n\n", "POST  /tokenize HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /tokenize HTTP/2.0\r\nHost: localhost\r\n\r\n", "NONSENSE\r\n\r\n", head("Bad Header: x\r\n"),
        head(std::string("X: a\0b\r\n", 8))));

TEST(framing, exactly_chunked_is_read) {
  const http_fixture server;
  for (const auto* word : {"chunked", "Chunked", "CHUNKED"}) {
    raw_client client(server.port());
    client.send(head(std::string("Transfer-Encoding: ") + word + "\r\n") +
                "5;x=y\r\n{\"pro\r\na\r\nmpt\":\"hi\"}\r\n0\r\n\r\n");
    const auto response = client.read_until("]}");
    EXPECT_EQ(status_of(response), 200) << response;
    EXPECT_NE(response.find(R"("count":2)"), std::string::npos);
  }
}

TEST(framing, broken_chunks_are_refused) {
  const http_fixture server;
  for (const auto* chunks :
       {"x\r\n", "-1\r\n", "5\r\nabcdeXX\r\n0\r\n\r\n", "fffffffffffffffff\r\n", "5 \nabcde\r\n0\r\n\r\n"}) {
    const auto response = server.exchange(head("Transfer-Encoding: chunked\r\n") + chunks);
    EXPECT_EQ(status_of(response), 400) << chunks << response;
  }
  EXPECT_TRUE(server.live());
}

// Each sends far more than the limit, and must be answered before it is all read.
TEST(framing, endless_framing_is_cut) {
  const http_fixture server;
  const auto chunked = head("Transfer-Encoding: chunked\r\n");
  std::string trailers = "0\r\n";
  for (int i = 0; i < 100'000; ++i) trailers += "a: b\r\n";
  std::string extensions;
  for (int i = 0; i < 4000; ++i) extensions += "1;" + std::string(3000, 'x') + "\r\na\r\n";
  for (const auto& [bytes, status] : {std::pair{"5;" + std::string(100'000, 'x'), 400},
                                      {std::string(100'000, '0'), 400},
                                      {"0\r\nX: " + std::string(100'000, 'x'), 431},
                                      {trailers, 431},
                                      {extensions, 413}}) {
    raw_client client(server.port());
    client.send(chunked + bytes);
    EXPECT_EQ(status_of(client.read_all()), status) << bytes.substr(0, 20);
    EXPECT_TRUE(client.closed());
  }
  EXPECT_TRUE(server.live());
}

TEST(framing, many_short_headers_are_too_large) {
  const http_fixture server;
  for (const int count : {1400, 4000, 16'000}) {
    std::string fields;
    for (int i = 0; i < count; ++i) fields += "a: b\r\n";
    raw_client client(server.port());
    client.send(get("/health", fields));
    EXPECT_EQ(status_of(client.read_all()), 431) << count;
    EXPECT_TRUE(client.closed());
  }
  std::string fields;
  for (int i = 0; i < 1200; ++i) fields += "a: b\r\n";
  EXPECT_EQ(status_of(server.exchange(get("/health", fields + "Connection: close\r\n"))), 200);
}

TEST(framing, too_large) {
  limits small;
  small.body_bytes = 1000;
  const http_fixture server(small);
  EXPECT_EQ(status_of(server.exchange(post("/tokenize", std::string(1001, 'x')))), 413);
  EXPECT_EQ(status_of(server.exchange(head("Content-Length: 99999999\r\n"))), 413);
  std::string chunked = head("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 200; ++i) chunked += "a\r\n0123456789\r\n";
  EXPECT_EQ(status_of(server.exchange(chunked)), 413);
  EXPECT_EQ(status_of(server.exchange(get("/health", "X: " + std::string(9000, 'a') + "\r\n"))), 431);
  EXPECT_EQ(status_of(server.exchange("GET /" + std::string(9000, 'a'))), 431);
  EXPECT_TRUE(server.live());
}

}  // namespace
}  // namespace neap::http
