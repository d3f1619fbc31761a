#include "server/cli/greeting.hpp"

#include <gtest/gtest.h>

namespace neap::cli {
namespace {

TEST(greeting, addresses_are_usable_as_printed) {
  EXPECT_EQ(browsable_address("127.0.0.1", 8123), "http://127.0.0.1:8123");
  EXPECT_EQ(browsable_address("::1", 8000), "http://[::1]:8000");
  EXPECT_EQ(browsable_address("0.0.0.0", 80), "http://127.0.0.1:80");
  EXPECT_EQ(browsable_address("::", 80), "http://[::1]:80");
  EXPECT_EQ(browsable_address("localhost", 80), "http://localhost:80");
}

TEST(greeting, the_request_goes_to_the_address) {
  EXPECT_TRUE(
      example_request("http://localhost:1").starts_with("curl 'http://localhost:1/v1/chat/completions'"));
  EXPECT_TRUE(example_request("http://[::1]:1").starts_with("curl -g 'http://[::1]:1/"));
}

}  // namespace
}  // namespace neap::cli
