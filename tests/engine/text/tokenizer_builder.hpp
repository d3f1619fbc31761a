#pragma once
// Small vocabularies for unit tests.

#include "engine/text/tokenizer_data.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace neap::test {

struct test_token {
  std::string_view text;
  text::token_type type = text::token_type::normal;
  float score = 0;
};

// Views into the literals given.
inline text::tokenizer_data tokenizer_data_of(const std::string& kind,
                                              const std::vector<test_token>& tokens) {
  text::tokenizer_data data;
  data.kind = kind;
  for (const auto& token : tokens) {
    data.tokens.push_back(token.text);
    data.types.push_back(token.type);
    data.scores.push_back(token.score);
  }
  return data;
}

inline std::unique_ptr<text::tokenizer> make(const text::tokenizer_data& data) {
  auto made = text::make_tokenizer(data);
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

}  // namespace neap::test
