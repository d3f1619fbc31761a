#include "engine/text/bpe_tokenizer.hpp"

#include "engine/text/byte_alphabet.hpp"
#include "engine/text/merge_queue.hpp"
#include "engine/text/merge_table.hpp"
#include "engine/text/pre_tokenizer.hpp"
#include "engine/text/special_matcher.hpp"
#include "engine/text/vocabulary.hpp"

#include <array>
#include <unordered_set>

namespace neap::text {
namespace {

// Merge rules as the file writes them -> tokens. All texts are compared as the bytes they stand for.
class rule_reader {
 public:
  rule_reader(const tokenizer_data& data, const vocabulary& tokens, const byte_alphabet& alphabet)
      : data_(data), tokens_(tokens), alphabet_(alphabet) {}

  // The checked rule text "left right" of this rank goes into the table. False: a piece or the product is no
  // token. Those that are tokens which text must not become (control tokens) make no rule.
  bool read(std::size_t rank, merge_table& table) {
    const auto rule = data_.merges[rank];
    const auto space = rule.find(' ', 1);
    bytes_.clear();
    alphabet_.decode(rule.substr(0, space), bytes_);
    const auto middle = bytes_.size();
    alphabet_.decode(rule.substr(space + 1), bytes_);
    const std::string_view product{bytes_};
    const auto left = tokens_.find(product.substr(0, middle));
    const auto right = tokens_.find(product.substr(middle));
    const auto merged = tokens_.find(product);
    if (left >= 0 && right >= 0 && merged >= 0) {
      table.add(left, right, {static_cast<std::uint32_t>(rank), merged});
      return true;
    }
    return is_token(product.substr(0, middle)) && is_token(product.substr(middle)) && is_token(product);
  }

 private:
  bool is_token(std::string_view bytes) {
    if (tokens_.find(bytes) >= 0) return true;
    if (markers_.empty()) markers_.insert(data_.tokens.begin(), data_.tokens.end());
    return markers_.contains(bytes);
  }

  const tokenizer_data& data_;
  const vocabulary& tokens_;
  const byte_alphabet& alphabet_;
  std::string bytes_;
  std::unordered_set<std::string_view> markers_;
};

vocabulary read_vocabulary(const tokenizer_data& data, const byte_alphabet& alphabet) {
  vocabulary tokens;
  std::size_t total = 0;
  for (const auto text : data.tokens) total += text.size();
  tokens.reserve(data.tokens.size(), total);
  std::string bytes;
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    bytes.clear();
    if (data.types[i] == token_type::normal) {
      alphabet.decode(data.tokens[i], bytes);
    } else {
      bytes = data.tokens[i];  // added tokens are written as they are
    }
    tokens.add(bytes, data.types[i]);
  }
  tokens.build_index();
  return tokens;
}

// What one call of encode needs again and again.
struct workspace {
  std::vector<std::string_view> words;
  std::vector<merge_piece> pieces;
  merge_queue queue;
};

class bpe_tokenizer final : public tokenizer {
 public:
  bpe_tokenizer(const tokenizer_data& data, vocabulary tokens, merge_table merges, pre_tokenizer words)
      : words_(std::move(words)),
        matcher_(data),
        special_(data.special),
        tokens_(std::move(tokens)),
        merges_(std::move(merges)),
        unknown_(data.stand_in()) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const char character = static_cast<char>(byte);
      byte_tokens_[byte] = tokens_.find({&character, 1});
    }
  }

  using tokenizer::encode;
  std::vector<token_id> encode(std::span<const text_span> spans) const override {
    const marked_text marked{spans};
    workspace work;
    std::vector<token_id> out;
    std::size_t done = 0;
    while (done < marked.text().size()) {
      const auto found = matcher_.find(marked, done);
      encode_text(marked.text().substr(done, found.position - done), work, out);
      if (found.token < 0) break;
      out.push_back(found.token);
      done = found.position + found.length;
    }
    return out;
  }

  std::string_view token_bytes(token_id token, bool with_special) const override {
    return tokens_.bytes(token, with_special);
  }

  std::size_t vocabulary_size() const noexcept override { return tokens_.size(); }
  const special_tokens& special() const noexcept override { return special_; }

 private:
  void encode_text(std::string_view text, workspace& work, std::vector<token_id>& out) const {
    if (text.empty()) return;
    work.words.clear();
    words_.split(text, work.words);
    for (const auto word : work.words) encode_word(word, work, out);
  }

  void encode_word(std::string_view word, workspace& work, std::vector<token_id>& out) const {
    if (words_.ignore_merges()) {
      const auto whole = tokens_.find(word);
      if (whole >= 0) return out.push_back(whole);
    }
    work.pieces.clear();
    work.pieces.reserve(word.size());
    for (std::uint32_t i = 0; i < word.size(); ++i) {
      const auto token = byte_tokens_[static_cast<unsigned char>(word[i])];
      if (token >= 0 || unknown_ >= 0) work.pieces.push_back({i, 1, token});
    }
    work.queue.run(work.pieces, [this](const merge_piece& left, const merge_piece& right) -> merge_candidate {
      const auto rule = merges_.find(left.symbol, right.symbol);
      return {static_cast<float>(rule.rank), rule.product, rule.product >= 0};
    });
    for (const auto& piece : work.pieces) {
      if (piece.length == 0) continue;
      const auto token = piece.symbol >= 0 ? piece.symbol : unknown_;
      if (token >= 0) out.push_back(token);
    }
  }

  pre_tokenizer words_;
  special_matcher matcher_;
  special_tokens special_;
  vocabulary tokens_;
  merge_table merges_;
  token_id unknown_;  // for bytes that the vocabulary lacks; -1: they are dropped, and their neighbours merge
  std::array<token_id, 256> byte_tokens_{};
};

}  // namespace

result<std::unique_ptr<tokenizer>> make_bpe_tokenizer(const tokenizer_data& data) {
  auto words = pre_tokenizer::make(data.pre_tokenizer);
  if (!words) return std::move(words).error();
  const byte_alphabet alphabet;
  auto tokens = read_vocabulary(data, alphabet);
  merge_table merges{data.merges.size()};
  rule_reader rules{data, tokens, alphabet};
  for (std::size_t rank = 0; rank < data.merges.size(); ++rank)
    if (!rules.read(rank, merges))
      return error{
          error_code::invalid_model_file,
          "GGUF: tokenizer.ggml.merges entry " + std::to_string(rank) + " merges pieces that are no tokens",
          ""};
  return std::unique_ptr<tokenizer>{
      std::make_unique<bpe_tokenizer>(data, std::move(tokens), std::move(merges), std::move(*words))};
}

}  // namespace neap::text
