#include "engine/text/tokenizer.hpp"

#include "engine/text/bpe_tokenizer.hpp"
#include "engine/text/sentencepiece_tokenizer.hpp"
#include "engine/text/tokenizer_data.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>

namespace neap::text {

std::vector<token_id> tokenizer::encode(std::string_view text, bool parse_special, bool add_special) const {
  const text_span span{std::string{text}, parse_special};
  return encode_spans({&span, 1}, add_special);
}

std::vector<token_id> tokenizer::encode_spans(std::span<const text_span> spans, bool add_special) const {
  auto tokens = encode(spans);
  if (!add_special) return tokens;
  const auto& marks = special();
  const bool has_bos = !tokens.empty() && tokens.front() == marks.bos;
  if (marks.add_bos && marks.bos && !has_bos) tokens.insert(tokens.begin(), *marks.bos);
  if (marks.add_eos && marks.eos) tokens.push_back(*marks.eos);
  return tokens;
}

std::string tokenizer::decode(std::span<const token_id> tokens, bool with_special) const {
  std::string out;
  for (const auto token : tokens) out += token_bytes(token, with_special);
  return out;
}

bool tokenizer::is_end_of_generation(token_id token) const noexcept {
  const auto& ends = special().end_of_generation;
  return std::binary_search(ends.begin(), ends.end(), token);
}

result<std::unique_ptr<tokenizer>> make_tokenizer(const tokenizer_data& data) {
  if (data.kind == "gpt2") return make_bpe_tokenizer(data);
  if (data.kind == "llama") return make_sentencepiece_tokenizer(data);
  return error{error_code::unsupported_model,
               "tokenizer " + quote(data.kind, 40) + " is not supported (gpt2 and llama are)", ""};
}

}  // namespace neap::text
