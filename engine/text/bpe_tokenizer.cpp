#include "engine/text/bpe_tokenizer.hpp"

#include "engine/text/byte_alphabet.hpp"
#include "engine/text/merge_queue.hpp"
#include "engine/text/pre_tokenizer.hpp"
#include "engine/text/special_matcher.hpp"
#include "engine/text/token_bytes.hpp"

#include <array>
#include <unordered_map>

namespace neap::text {
namespace {

using token_map = std::unordered_map<std::string_view, token_id>;

struct merge_rule {
  std::uint32_t rank = 0;
  token_id merged = -1;
};

std::uint64_t pair_key(token_id left, token_id right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

// Tokens that ordinary text can become: control tokens are reached through the special matcher alone.
bool is_ordinary(token_type type) { return type == token_type::normal || type == token_type::user_defined; }

class bpe_tokenizer final : public tokenizer {
 public:
  bpe_tokenizer(tokenizer_data data, pre_tokenizer words)
      : words_(std::move(words)),
        matcher_(data),
        special_(data.special),
        unknown_(data.unknown),
        types_(data.types) {
    const auto tokens = index_tokens(data);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto found = tokens.find(alphabet_.character(static_cast<std::uint8_t>(byte)));
      byte_tokens_[byte] = found == tokens.end() ? -1 : found->second;
    }
    index_merges(data, tokens);
    if (words_.ignore_merges()) index_words(data);
  }

  std::vector<token_id> encode(std::span<const text_span> spans) const override {
    const marked_text marked{spans};
    std::vector<token_id> out;
    std::size_t done = 0;
    while (done < marked.text().size()) {
      const auto found = matcher_.find(marked, done);
      encode_text(marked.text().substr(done, found.position - done), out);
      if (found.token < 0) break;
      out.push_back(found.token);
      done = found.position + found.length;
    }
    return out;
  }

  std::string_view token_bytes(token_id token, bool with_special) const override {
    const auto type = types_[static_cast<std::size_t>(token)];
    if (!with_special && (type == token_type::control || type == token_type::unknown)) return {};
    return bytes_[token];
  }

  std::size_t vocabulary_size() const noexcept override { return types_.size(); }
  const special_tokens& special() const noexcept override { return special_; }

 private:
  token_map index_tokens(const tokenizer_data& data) {
    token_map tokens;
    tokens.reserve(data.tokens.size());
    std::string bytes;
    for (std::size_t i = 0; i < data.tokens.size(); ++i) {
      const bool ordinary = data.types[i] == token_type::normal;
      if (is_ordinary(data.types[i])) tokens.emplace(data.tokens[i], static_cast<token_id>(i));
      bytes.clear();
      if (ordinary) alphabet_.decode(data.tokens[i], bytes);
      bytes_.add(ordinary ? std::string_view{bytes} : data.tokens[i]);
    }
    return tokens;
  }

  // A rule whose pieces or product are no tokens can never apply.
  void index_merges(const tokenizer_data& data, const token_map& tokens) {
    merges_.reserve(data.merges.size());
    std::string product;
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
      const auto rule = data.merges[rank];
      const auto space = rule.find(' ', 1);
      const auto left = tokens.find(rule.substr(0, space));
      const auto right = tokens.find(rule.substr(space + 1));
      product.assign(rule.substr(0, space)).append(rule.substr(space + 1));
      const auto merged = tokens.find(product);
      if (left == tokens.end() || right == tokens.end() || merged == tokens.end()) continue;
      merges_.emplace(pair_key(left->second, right->second),
                      merge_rule{static_cast<std::uint32_t>(rank), merged->second});
    }
  }

  void index_words(const tokenizer_data& data) {
    for (std::size_t i = 0; i < data.types.size(); ++i)
      if (is_ordinary(data.types[i]))
        whole_words_.emplace(bytes_[static_cast<token_id>(i)], static_cast<token_id>(i));
  }

  void encode_text(std::string_view text, std::vector<token_id>& out) const {
    if (text.empty()) return;
    std::vector<std::string_view> words;
    words_.split(text, words);
    std::vector<merge_piece> pieces;
    for (const auto word : words) encode_word(word, pieces, out);
  }

  void encode_word(std::string_view word, std::vector<merge_piece>& pieces,
                   std::vector<token_id>& out) const {
    if (words_.ignore_merges()) {
      const auto found = whole_words_.find(word);
      if (found != whole_words_.end()) return out.push_back(found->second);
    }
    pieces.clear();
    for (std::size_t i = 0; i < word.size(); ++i)
      pieces.push_back({i, 1, byte_tokens_[static_cast<unsigned char>(word[i])]});
    merge_queue{}.run(pieces, [this](const merge_piece& left, const merge_piece& right) -> merge_candidate {
      const auto rule = merges_.find(pair_key(left.symbol, right.symbol));
      if (rule == merges_.end()) return {};
      return {static_cast<double>(rule->second.rank), rule->second.merged, true};
    });
    for (const auto& piece : pieces) {
      if (piece.length == 0) continue;
      const auto token = piece.symbol >= 0 ? piece.symbol : unknown_.value_or(-1);
      if (token >= 0) out.push_back(token);
    }
  }

  byte_alphabet alphabet_;
  pre_tokenizer words_;
  special_matcher matcher_;
  special_tokens special_;
  std::optional<token_id> unknown_;  // stands for bytes that the vocabulary lacks
  std::vector<token_type> types_;
  token_bytes_table bytes_;
  std::array<token_id, 256> byte_tokens_{};
  std::unordered_map<std::uint64_t, merge_rule> merges_;
  token_map whole_words_;
};

}  // namespace

result<std::unique_ptr<tokenizer>> make_bpe_tokenizer(tokenizer_data data) {
  auto words = pre_tokenizer::make(data.pre_tokenizer);
  if (!words) return std::move(words).error();
  return std::unique_ptr<tokenizer>{std::make_unique<bpe_tokenizer>(std::move(data), std::move(*words))};
}

}  // namespace neap::text
