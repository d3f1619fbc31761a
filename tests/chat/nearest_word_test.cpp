#include "server/chat/nearest_word.hpp"

#include <gtest/gtest.h>

namespace neap::chat {
namespace {

TEST(NearestWord, IsTheOneWithTheFewestChanges) {
  const std::vector<std::string> known{"serve", "run", "bench"};
  EXPECT_EQ(nearest_word("srev", known), "serve");
  EXPECT_EQ(nearest_word("rnu", known), "run");
  EXPECT_EQ(nearest_word("entirely", known), "");
  EXPECT_EQ(nearest_word(std::string(100, 'x'), known), "");
  EXPECT_EQ(suggestion("benhc", known), " (did you mean bench?)");
  EXPECT_EQ(suggestion("zzzz", known), "");
}

}  // namespace
}  // namespace neap::chat
