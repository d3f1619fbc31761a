// Token ids equal to the reference implementations' for every text in tests/reference.

#include "tests/engine/text/model_tokenizers.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

class ReferenceTokens : public testing::TestWithParam<const char*> {
 protected:
  const tokenizer& tokens_ = test::model_tokenizer(GetParam());
};

TEST_P(ReferenceTokens, PlainTextIsTokenisedIdentically) {
  const auto texts = test::reference_texts(GetParam(), "plain");
  ASSERT_EQ(texts.size(), 70U);
  for (const auto& [text, ids] : texts) EXPECT_EQ(tokens_.encode(text, false, false), ids) << text;
}

TEST_P(ReferenceTokens, TextWithRealMarkersIsTokenisedIdentically) {
  const auto texts = test::reference_texts(GetParam(), "with_special");
  ASSERT_EQ(texts.size(), 5U);
  for (const auto& [text, ids] : texts) EXPECT_EQ(tokens_.encode(text, true, false), ids) << text;
}

TEST_P(ReferenceTokens, DecodingGivesTheTextBack) {
  for (const auto& [text, ids] : test::reference_texts(GetParam(), "plain"))
    EXPECT_EQ(tokens_.decode(ids, true), text);
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceTokens, testing::Values("smollm2", "gemma3"));

TEST(ReferenceChats, RenderedTemplatesGiveTheReferencePrompt) {
  const auto chats = test::reference_chats("smollm2");
  ASSERT_FALSE(chats.empty());
  for (const auto& [text, ids] : chats)
    EXPECT_EQ(test::model_tokenizer("smollm2").encode(text, true, false), ids) << text;
}

}  // namespace
}  // namespace neap::text
