#include "server/http/head_scanner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace neap::http {
namespace {

const std::string plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// The outcome must not depend on how the bytes were cut: 0, a size, or the status of the error.
std::size_t scan(const std::string& bytes, std::size_t limit = 1000) {
  const auto outcome = head_scanner(limit).scan(bytes);
  const std::size_t whole = outcome ? *outcome : static_cast<std::size_t>(http_status(outcome.error().code));
  head_scanner by_byte(limit);
  std::size_t last = 0;
  for (std::size_t i = 1; i <= bytes.size() && last == 0; ++i) {
    const auto step = by_byte.scan(std::string_view(bytes).substr(0, i));
    last = step ? *step : static_cast<std::size_t>(http_status(step.error().code));
  }
  EXPECT_EQ(last, whole) << bytes;
  return whole;
}

TEST(head_scanner, finds_the_end) {
  EXPECT_EQ(scan(plain), plain.size());
  EXPECT_EQ(scan(plain + "GET / HTTP/1.1\r\n\r\n"), plain.size());
  EXPECT_EQ(scan(plain + "\n folded"), plain.size());
  EXPECT_EQ(scan(plain.substr(0, plain.size() - 1)), 0U);
  EXPECT_EQ(scan(""), 0U);
}

TEST(head_scanner, counts_the_whole_head) {
  EXPECT_EQ(scan(plain, plain.size()), plain.size());
  EXPECT_EQ(scan(plain, plain.size() - 1), 431U);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 300; ++i) many += "a: b\r\n";
  EXPECT_EQ(scan(many), 431U);
  EXPECT_EQ(scan(std::string(1001, 'x')), 431U);
  EXPECT_EQ(scan(std::string(1000, 'x')), 0U);
}

TEST(head_scanner, refuses_folded_lines) {
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n"), 400U);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nX: a\r\n\tb\r\n\r\n"), 400U);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), 400U);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nX: a\r\n \r\n\r\n"), 400U);
}

TEST(head_scanner, refuses_improper_lines) {
  EXPECT_EQ(scan("GET / HTTP/1.1\nHost: a\n\n"), 400U);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400U);
  EXPECT_EQ(scan("GET / HTTP/1.1\r\nHost: a\r\n\n"), 400U);
  EXPECT_EQ(scan("\r\n" + plain), 400U);
  EXPECT_EQ(scan("\n" + plain), 400U);
}

}  // namespace
}  // namespace neap::http
