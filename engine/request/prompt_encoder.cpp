#include "engine/request/prompt_encoder.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace neap::request {
namespace {

std::size_t longest_token(const text::tokenizer& vocabulary) {
  std::size_t longest = 1;
  for (std::size_t i = 0; i < vocabulary.vocabulary_size(); ++i)
    longest = std::max(longest, vocabulary.token_bytes(static_cast<token_id>(i), true).size());
  return longest;
}

}  // namespace

prompt_encoder::prompt_encoder(std::shared_ptr<const text::tokenizer> vocabulary,
                               std::shared_ptr<const text::chat_template> chat,
                               std::function<std::int64_t()> wall_clock, std::uint32_t context_length)
    : vocabulary_(std::move(vocabulary)),
      chat_(std::move(chat)),
      wall_clock_(std::move(wall_clock)),
      context_length_(context_length),
      longest_token_(longest_token(*vocabulary_)) {}

// Tokenising takes about a second a megabyte: what cannot fit must not hold up others.
result<void> prompt_encoder::check_size(std::size_t bytes, const char* field) const {
  const auto room = std::uint64_t{context_length_} * longest_token_;
  if (context_length_ == 0 || bytes <= room) return {};
  return error{error_code::context_length_exceeded,
               "the text of " + std::to_string(bytes) + " bytes cannot fit into the context of " +
                   std::to_string(context_length_) + " tokens, which hold at most " + std::to_string(room) +
                   " bytes",
               field};
}

result<encoded_prompt> prompt_encoder::encode(const prompt& source) const {
  auto out = std::visit(
      [this](const auto& kind) -> result<encoded_prompt> {
        using type = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<type, text_prompt>) return encode_text(kind);
        if constexpr (std::is_same_v<type, token_prompt>) return encode_tokens(kind);
        if constexpr (std::is_same_v<type, chat_prompt>) return encode_chat(kind);
      },
      source);
  if (out && out->tokens.empty())
    return error{error_code::invalid_request,
                 "the prompt is empty and this model has no start token to begin from", "prompt"};
  return out;
}

// An empty text starts from the start token where the model asks for one.
result<encoded_prompt> prompt_encoder::encode_text(const text_prompt& source) const {
  auto tokens = tokens_of(source);
  if (!tokens) return std::move(tokens).error();
  return encoded_prompt{std::move(*tokens), source.text};
}

result<std::vector<token_id>> prompt_encoder::tokens_of(const text_prompt& source) const {
  if (auto checked = check_size(source.text.size(), "prompt"); !checked) return checked.error();
  return vocabulary_->encode(source.text, source.parse_special, source.add_special_tokens);
}

result<void> prompt_encoder::check_ids(const std::vector<token_id>& tokens, const char* field) const {
  const auto size = vocabulary_->vocabulary_size();
  for (const auto token : tokens)
    if (token < 0 || static_cast<std::size_t>(token) >= size)
      return error{
          error_code::invalid_request,
          "token id " + std::to_string(token) + " is not in the vocabulary of " + std::to_string(size),
          field};
  return {};
}

result<encoded_prompt> prompt_encoder::encode_tokens(const token_prompt& source) const {
  if (auto checked = check_ids(source.tokens, "prompt"); !checked) return checked.error();
  return encoded_prompt{source.tokens, ""};
}

std::string prompt_encoder::marker(std::optional<token_id> token) const {
  return token ? std::string{vocabulary_->token_bytes(*token, true)} : std::string{};
}

result<encoded_prompt> prompt_encoder::encode_chat(const chat_prompt& source) const {
  if (chat_ == nullptr)
    return error{
        error_code::template_missing,
        "this model has no chat template; use /v1/completions, or start the server with --chat-template FILE",
        "messages"};
  text::chat_template_input input;
  input.messages = &source.messages;
  input.tools = &source.tools;
  input.template_arguments = &source.template_arguments;
  input.add_generation_prompt = source.add_generation_prompt;
  input.bos_token = marker(vocabulary_->special().bos);
  input.eos_token = marker(vocabulary_->special().eos);
  input.now_unix_seconds = wall_clock_();
  const auto spans = chat_->render(input);
  if (!spans) return spans.error();
  std::size_t bytes = 0;
  for (const auto& span : *spans) bytes += span.text.size();
  if (auto checked = check_size(bytes, "messages"); !checked) return checked.error();
  encoded_prompt out{vocabulary_->encode_spans(*spans, true), ""};
  for (const auto& span : *spans) out.text += span.text;
  return out;
}

result<std::string> prompt_encoder::decode(const std::vector<token_id>& tokens) const {
  if (auto checked = check_ids(tokens, "tokens"); !checked) return checked.error();
  return text::replace_invalid_utf8(vocabulary_->decode(tokens, true));
}

}  // namespace neap::request
