#pragma once
// Prompts of every form -> token ids, with the model's tokenizer and chat template.

#include "engine/text/chat_template.hpp"
#include "engine/text/tokenizer.hpp"
#include "messages/prompt.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace neap::request {

struct encoded_prompt {
  std::vector<token_id> tokens;
  std::string text;  // what was tokenised, as far as it was text
};

class prompt_encoder {
 public:
  // `chat` may be null. `wall_clock` gives unix seconds, for templates that print the date. `context_length` in
  // tokens, 0 for none: texts that cannot fit are refused before they cost time.
  prompt_encoder(std::shared_ptr<const text::tokenizer> vocabulary,
                 std::shared_ptr<const text::chat_template> chat, std::function<std::int64_t()> wall_clock,
                 std::uint32_t context_length = 0);

  // Errors: template_missing, template_refused, context_length_exceeded for a text longer than the longest
  // tokens could make it fit, invalid_request for ids past the vocabulary or an empty prompt where the model
  // has no start token.
  result<encoded_prompt> encode(const prompt& source) const;

  // Tokens of a text alone, as encode() makes them; an empty text has none. Errors as encode().
  result<std::vector<token_id>> tokens_of(const text_prompt& source) const;

  // Text of token ids, control tokens as their markers; broken characters become U+FFFD. Error: id past the
  // vocabulary.
  result<std::string> decode(const std::vector<token_id>& tokens) const;

  const text::tokenizer& vocabulary() const noexcept { return *vocabulary_; }

 private:
  result<void> check_size(std::size_t bytes, const char* field) const;
  result<encoded_prompt> encode_text(const text_prompt& source) const;
  result<encoded_prompt> encode_tokens(const token_prompt& source) const;
  result<encoded_prompt> encode_chat(const chat_prompt& source) const;
  result<void> check_ids(const std::vector<token_id>& tokens, const char* field) const;
  std::string marker(std::optional<token_id> token) const;

  std::shared_ptr<const text::tokenizer> vocabulary_;
  std::shared_ptr<const text::chat_template> chat_;
  std::function<std::int64_t()> wall_clock_;
  std::uint32_t context_length_;
  std::size_t longest_token_;  // bytes
};

}  // namespace neap::request
