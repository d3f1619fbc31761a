#include "server/http/body_decoder.hpp"

#include <gtest/gtest.h>

namespace neap::http {
namespace {

limits small() {
  limits out;
  out.body_bytes = 1000;
  out.header_bytes = 200;
  out.chunk_line_bytes = 100;
  return out;
}

struct decoded {
  int status = 0;  // 200: done; 0: more is needed
  std::string body;
  std::size_t used = 0;
};

decoded decode(const std::string& bytes, std::size_t piece) {
  chunk_decoder decoder(small());
  decoded out;
  while (out.used < bytes.size() && !decoder.done()) {
    const auto used = decoder.feed(std::string_view(bytes).substr(out.used, piece), out.body);
    if (!used) {
      out.status = http_status(used.error().code);
      return out;
    }
    out.used += *used;
  }
  if (decoder.done()) out.status = 200;
  return out;
}

// The outcome must not depend on how the bytes were cut.
decoded decode(const std::string& bytes) {
  const auto whole = decode(bytes, bytes.size());
  for (const std::size_t piece : {1, 2, 7}) {
    const auto cut = decode(bytes, piece);
    EXPECT_EQ(cut.status, whole.status) << piece << ' ' << bytes;
    if (whole.status != 200) continue;
    EXPECT_EQ(cut.used, whole.used);
    EXPECT_EQ(cut.body, whole.body);
  }
  return whole;
}

TEST(chunk_decoder, joins_chunks_and_stops_at_the_end) {
  const std::string bytes = "3\r\nabc\r\n00A ;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  const auto out = decode(bytes + "GET /");
  EXPECT_EQ(out.status, 200);
  EXPECT_EQ(out.body, "abc0123456789");
  EXPECT_EQ(out.used, bytes.size());
  EXPECT_EQ(decode("0\r\n\r\n").status, 200);
  EXPECT_EQ(decode("3\r\nabc\r\n0\r\n").status, 0);
}

TEST(chunk_decoder, refuses_what_is_no_size) {
  for (const std::string line : {"", "x", "-1", "+1", "0x5", " 5", "5 ", "5 x", "5\tx", "5;a\x01", "5;a\x7f",
                                 "5;a\rb", "fffffffffffffffff", "00000000000000005"}) {
    EXPECT_EQ(decode(line + "\r\nabcde\r\n0\r\n\r\n").status, 400) << line;
  }
  EXPECT_EQ(decode("5\nabcde\r\n0\r\n\r\n").status, 400);
  EXPECT_EQ(decode("ffffffffffffffff\r\n").status, 413);
}

TEST(chunk_decoder, refuses_data_of_another_size) {
  EXPECT_EQ(decode("3\r\nabcd\r\n0\r\n\r\n").status, 400);
  EXPECT_EQ(decode("3\r\nabc0\r\n\r\n").status, 400);
  EXPECT_EQ(decode("3\r\nabc\n0\r\n\r\n").status, 400);
  EXPECT_EQ(decode("4\r\nabc\r\n0\r\n\r\n").status, 400);
}

TEST(chunk_decoder, bounds_the_size_line) {
  EXPECT_EQ(decode("1;" + std::string(96, 'x') + "\r\na\r\n0\r\n\r\n").status, 200);
  EXPECT_EQ(decode("1;" + std::string(97, 'x') + "\r\na\r\n0\r\n\r\n").status, 400);
  EXPECT_EQ(decode("1;" + std::string(5000, 'x')).status, 400);
  EXPECT_EQ(decode(std::string(5000, '0')).status, 400);
}

TEST(chunk_decoder, bounds_and_checks_the_trailers) {
  EXPECT_EQ(decode("0\r\nX: " + std::string(100, 'x') + "\r\n\r\n").status, 200);
  EXPECT_EQ(decode("0\r\nX: " + std::string(300, 'x')).status, 431);
  std::string many = "0\r\n";
  for (int i = 0; i < 100; ++i) many += "a: b\r\n";
  EXPECT_EQ(decode(many + "\r\n").status, 431);
  for (const std::string trailer :
       {"no colon", ": x", "a b: c", "X: a\r\n folded: x", " X: y", "X : y", "X: \x01"}) {
    EXPECT_EQ(decode("0\r\n" + trailer + "\r\n\r\n").status, 400) << trailer;
  }
  EXPECT_EQ(decode("0\r\nX: y\n\r\n").status, 400);
}

TEST(chunk_decoder, framing_counts_towards_the_body) {
  std::string single;
  for (int i = 0; i < 160; ++i) single += "1\r\na\r\n";
  EXPECT_EQ(decode(single + "0\r\n\r\n").status, 200);
  std::string extended;
  for (int i = 0; i < 160; ++i) extended += "1;x\r\na\r\n";
  EXPECT_EQ(decode(extended + "0\r\n\r\n").status, 413);
  EXPECT_EQ(decode("3e9\r\n").status, 413);
  EXPECT_EQ(decode("190\r\n" + std::string(400, 'a') + "\r\n258\r\n" + std::string(600, 'a')).status, 413);
}

TEST(body_decoder, content_length) {
  request_head head;
  head.fields = {{"content-length", "5"}};
  body_decoder decoder(head, small());
  std::string body;
  EXPECT_EQ(*decoder.feed("abc", body), 3U);
  EXPECT_FALSE(decoder.done());
  EXPECT_EQ(*decoder.feed("defgh", body), 2U);
  EXPECT_TRUE(decoder.done());
  EXPECT_EQ(body, "abcde");
  EXPECT_TRUE(body_decoder(request_head{}, small()).done());
}

TEST(check_length, refuses_more_than_the_limit) {
  request_head head;
  head.fields = {{"content-length", "1000"}};
  EXPECT_TRUE(check_length(head, small()));
  for (const auto* length : {"1001", "18446744073709551616", "99999999999999999999999"}) {
    head.fields = {{"content-length", length}};
    EXPECT_EQ(check_length(head, small()).error().code, error_code::content_too_large) << length;
  }
  EXPECT_TRUE(check_length(request_head{}, small()));
}

}  // namespace
}  // namespace neap::http
