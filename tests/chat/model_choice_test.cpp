#include "server/cli/model_choice.hpp"

#include <gtest/gtest.h>

namespace neap::cli {
namespace {

TEST(ModelChoice, TheFirstWordIsAModelIfItIsAFileOrNamedLikeOne) {
  const auto named = split_words({"missing.gguf", "why", "so?"}, false);
  EXPECT_EQ(named.model, "missing.gguf");
  EXPECT_EQ(named.prompt, "why so?");
  const std::string file = NEAP_SOURCE_DIR "/LICENSE";
  EXPECT_EQ(split_words({file}, false).model, file);
  EXPECT_EQ(split_words({"Why?"}, false).model, "");
  EXPECT_EQ(split_words({"Why?"}, false).prompt, "Why?");
  EXPECT_EQ(split_words({}, false).prompt, "");
}

TEST(ModelChoice, AServersModelIsNotAFile) { EXPECT_EQ(split_words({"a.gguf"}, true).prompt, "a.gguf"); }

}  // namespace
}  // namespace neap::cli
