#include "engine/request/prompt_echo.hpp"

#include "engine/request/answer_text.hpp"

#include <algorithm>
#include <utility>

namespace neap::request {

prompt_echo::prompt_echo(const text::tokenizer& vocabulary, token_vector_ptr tokens, std::string text,
                         bool control_text)
    : vocabulary_(&vocabulary),
      tokens_(std::move(tokens)),
      text_(std::move(text)),
      control_text_(control_text) {
  whole_.advance(text_);
}

scored_token prompt_echo::first() {
  const auto token = tokens_->front();
  scored_token out{{std::string{vocabulary_->token_bytes(token, true)}, std::nullopt}, {}};
  place(out, token);
  return out;
}

scored_token prompt_echo::next(const token_logprobs& scores) {
  auto out = describe(scores, *vocabulary_);
  place(out, scores.chosen.token);
  return out;
}

// Tokens can hold a little more than the text, such as a blank before the first word.
void prompt_echo::place(scored_token& out, token_id token) {
  out.text_offset = std::min(end_.characters, whole_.characters);
  end_.advance(characters_.push(vocabulary_->token_bytes(token, control_text_)));
}

}  // namespace neap::request
