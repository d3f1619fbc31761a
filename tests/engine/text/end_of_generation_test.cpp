#include "engine/text/end_of_generation.hpp"

#include "tests/engine/text/tokenizer_builder.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

using ids = std::vector<token_id>;

tokenizer_data chat_tokens() {
  return test::tokenizer_data_of("gpt2", {{"<|endoftext|>", token_type::control},
                                          {"<|im_start|>", token_type::control},
                                          {"<|im_end|>", token_type::control},
                                          {"a"},
                                          {"<|eot_id|>"},
                                          {"<end_of_turn>", token_type::user_defined}});
}

TEST(EndOfGeneration, NamedTokensAndPublishedMarkersOfControlType) {
  EXPECT_EQ(end_of_generation(chat_tokens(), {}), (ids{0, 2}));  // 4 and 5 are no control tokens
  EXPECT_EQ(end_of_generation(chat_tokens(), {3, std::nullopt, 2}), (ids{0, 2, 3}));
}

TEST(EndOfGeneration, TheUnknownTokenEndsNothingUnlessNamed) {
  auto data = chat_tokens();
  data.unknown = 0;
  EXPECT_EQ(end_of_generation(data, {2}), ids{2});
  EXPECT_EQ(end_of_generation(data, {0}), (ids{0, 2}));
}

}  // namespace
}  // namespace neap::text
