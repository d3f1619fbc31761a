#include "engine/text/sentencepiece_tokenizer.hpp"

#include "engine/text/merge_queue.hpp"
#include "engine/text/special_matcher.hpp"
#include "engine/text/utf8.hpp"
#include "engine/text/vocabulary.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace neap::text {
namespace {

constexpr std::string_view blank = "\xE2\x96\x81";  // U+2581 stands for a space inside pieces

// "<0x0A>" -> 10.
std::optional<std::uint8_t> byte_of(std::string_view text) {
  unsigned value = 0;
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  const auto [end, code] = std::from_chars(text.data() + 3, text.data() + 5, value, 16);
  if (code != std::errc{} || end != text.data() + 5) return std::nullopt;
  return static_cast<std::uint8_t>(value);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t done = 0;
  for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from, done)) {
    out.append(text.substr(done, at - done)).append(to);
    done = at + from.size();
  }
  return out.append(text.substr(done));
}

// Puts a space before text at the start and after each control token, where the vocabulary was trained so.
// User-defined pieces are matched without it (SentencePiece matches them with it: a difference only where
// such a piece begins with a space and the text too).
class space_prefix {
 public:
  explicit space_prefix(bool wanted) : wanted_(wanted), due_(wanted) {}

  bool take() { return std::exchange(due_, false); }
  void control_token() { due_ = wanted_; }

 private:
  bool wanted_;
  bool due_;
};

class sentencepiece_tokenizer final : public tokenizer {
 public:
  explicit sentencepiece_tokenizer(const tokenizer_data& data)
      : matcher_(data),
        special_(data.special),
        scores_(data.scores),
        unknown_(data.stand_in()),
        add_space_prefix_(data.add_space_prefix) {
    byte_tokens_.fill(-1);
    std::size_t total = 0;
    for (const auto text : data.tokens) total += text.size();
    tokens_.reserve(data.tokens.size(), total);
    for (std::size_t i = 0; i < data.tokens.size(); ++i)
      add_token(data.tokens[i], data.types[i], static_cast<token_id>(i));
    tokens_.build_index();
  }

  using tokenizer::encode;
  std::vector<token_id> encode(std::span<const text_span> spans) const override {
    const marked_text marked{spans};
    std::vector<token_id> out;
    space_prefix prefix{add_space_prefix_};
    std::size_t done = 0;
    while (done < marked.text().size()) {
      const auto found = matcher_.find(marked, done);
      auto plain = replace_all(marked.text().substr(done, found.position - done), blank, " ");
      const bool is_control = found.token >= 0 && tokens_.type(found.token) == token_type::control;
      if ((!plain.empty() || !is_control) && prefix.take()) plain.insert(0, 1, ' ');
      encode_text(plain, out);
      if (found.token < 0) break;
      out.push_back(found.token);
      if (is_control) prefix.control_token();
      done = found.position + found.length;
    }
    return out;
  }

  std::string decode(std::span<const token_id> tokens, bool with_special) const override {
    std::string out;
    space_prefix prefix{add_space_prefix_};
    for (const auto token : tokens) {
      auto bytes = tokens_.bytes(token, with_special);
      if (tokens_.type(token) == token_type::control) {
        prefix.control_token();
      } else if (prefix.take() && bytes.substr(0, 1) == " ") {
        bytes.remove_prefix(1);
      }
      out += bytes;
    }
    return out;
  }

  std::string_view token_bytes(token_id token, bool with_special) const override {
    return tokens_.bytes(token, with_special);
  }

  std::size_t vocabulary_size() const noexcept override { return tokens_.size(); }
  const special_tokens& special() const noexcept override { return special_; }

 private:
  // Pieces are kept as the bytes they stand for; user-defined tokens and markers are written as they are.
  void add_token(std::string_view text, token_type type, token_id token) {
    const auto byte = type == token_type::byte ? byte_of(text) : std::nullopt;
    if (byte) {
      byte_tokens_[*byte] = token;
      const char raw = static_cast<char>(*byte);
      tokens_.add({&raw, 1}, type);
    } else if (type == token_type::normal) {
      tokens_.add(replace_all(text, blank, " "), type);
    } else {
      tokens_.add(text, type);
    }
  }

  void encode_text(std::string_view text, std::vector<token_id>& out) const {
    std::vector<merge_piece> pieces;
    for (std::uint32_t i = 0; i < text.size();) {
      const auto length = static_cast<std::uint32_t>(decode_step(text.substr(i)).length);
      pieces.push_back({i, length, tokens_.find(text.substr(i, length))});
      i += length;
    }
    merge_queue{}.run(pieces, [&](const merge_piece& left, const merge_piece& right) -> merge_candidate {
      const auto token = tokens_.find(text.substr(left.begin, left.length + right.length));
      if (token < 0) return {};
      return {-scores_[static_cast<std::size_t>(token)], token, true};
    });
    for (const auto& piece : pieces)
      if (piece.length != 0) emit(text.substr(piece.begin, piece.length), piece.symbol, out);
  }

  void emit(std::string_view text, token_id token, std::vector<token_id>& out) const {
    if (token >= 0) return out.push_back(token);
    for (const char c : text) {
      const auto byte_token = byte_tokens_[static_cast<unsigned char>(c)];
      const auto id = byte_token >= 0 ? byte_token : unknown_;
      if (id >= 0) out.push_back(id);
    }
  }

  special_matcher matcher_;
  special_tokens special_;
  vocabulary tokens_;
  std::vector<float> scores_;
  token_id unknown_;  // for bytes without a byte token; -1: they are dropped
  bool add_space_prefix_;
  std::array<token_id, 256> byte_tokens_{};
};

}  // namespace

result<std::unique_ptr<tokenizer>> make_sentencepiece_tokenizer(const tokenizer_data& data) {
  return std::unique_ptr<tokenizer>{std::make_unique<sentencepiece_tokenizer>(data)};
}

}  // namespace neap::text
