#include "server/http/head_check.hpp"

#include "server/http/http_date.hpp"
#include "server/http/route_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace neap::http {
namespace {

request_head with_target(const std::string& target) {
  request_head head;
  head.target = target;
  return head;
}

TEST(request_path, forms) {
  EXPECT_EQ(request_path(with_target("/a/b?x=1#y")), "/a/b");
  EXPECT_EQ(request_path(with_target("http://host:1/a?b")), "/a");
  EXPECT_EQ(request_path(with_target("HTTP://host")), "/");
  EXPECT_EQ(request_path(with_target("http://host?x")), "/");
  EXPECT_EQ(request_path(with_target("*")), "*");
  EXPECT_EQ(request_path(with_target("a")), "");
  EXPECT_EQ(request_path(with_target("ftp://host/a")), "");
  EXPECT_EQ(request_path(with_target("")), "");
}

TEST(head, has_body) {
  request_head head;
  EXPECT_FALSE(head.has_body());
  head.fields = {{"content-length", "0"}};
  EXPECT_FALSE(head.has_body());
  head.fields = {{"content-length", "3"}};
  EXPECT_TRUE(head.has_body());
  head.fields = {{"transfer-encoding", "chunked"}};
  EXPECT_TRUE(head.has_body());
}

// Compared with `date -u`.
TEST(http_date, form) {
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(1'709'164'800), "Thu, 29 Feb 2024 00:00:00 GMT");
}

TEST(route_table, is_consistent) {
  std::set<std::string_view> names;
  for (const auto& r : routes()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_TRUE(r.method == "GET" || r.method == "POST");
    EXPECT_EQ(find_route(r.method, r.path).found, &r);
    EXPECT_EQ(find_route("PATCH", r.path).otherwise.status, 405);
  }
  EXPECT_EQ(find_route("GET", "/none").otherwise.status, 404);
  EXPECT_EQ(find_route("get", "/health").otherwise.status, 501);
  EXPECT_EQ(find_route("OPTIONS", "*").otherwise.status, 204);
}

}  // namespace
}  // namespace neap::http
