#include "engine/text/sentencepiece_tokenizer.hpp"

#include "engine/text/merge_queue.hpp"
#include "engine/text/special_matcher.hpp"
#include "engine/text/token_bytes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

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

// Bytes of the character that starts here; broken UTF-8 counts byte by byte.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 ? 1U : first < 0xE0 ? 2U : first < 0xF0 ? 3U : 4U;
  return std::min(length, text.size());
}

class sentencepiece_tokenizer final : public tokenizer {
 public:
  explicit sentencepiece_tokenizer(tokenizer_data data)
      : matcher_(data),
        special_(data.special),
        unknown_(data.unknown),
        add_space_prefix_(data.add_space_prefix),
        types_(std::move(data.types)),
        scores_(std::move(data.scores)) {
    byte_tokens_.fill(-1);
    pieces_.reserve(data.tokens.size());
    for (std::size_t i = 0; i < data.tokens.size(); ++i)
      index_token(data.tokens[i], static_cast<token_id>(i));
  }

  std::vector<token_id> encode(std::span<const text_span> spans) const override {
    const marked_text marked{spans};
    std::vector<token_id> out;
    bool prefix = add_space_prefix_;
    std::size_t done = 0;
    while (done < marked.text().size()) {
      const auto found = matcher_.find(marked, done);
      const auto plain = marked.text().substr(done, found.position - done);
      if (!plain.empty()) encode_text((prefix ? " " : "") + std::string{plain}, out);
      if (found.token < 0) break;
      out.push_back(found.token);
      prefix = add_space_prefix_ && types_[static_cast<std::size_t>(found.token)] == token_type::control;
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
  void index_token(std::string_view text, token_id token) {
    const auto type = types_[static_cast<std::size_t>(token)];
    if (type == token_type::normal || type == token_type::user_defined) pieces_.emplace(text, token);
    const auto byte = type == token_type::byte ? byte_of(text) : std::nullopt;
    if (byte) {
      byte_tokens_[*byte] = token;
      const char raw = static_cast<char>(*byte);
      bytes_.add({&raw, 1});
    } else {
      bytes_.add(type == token_type::control ? std::string{text} : replace_all(text, blank, " "));
    }
  }

  void encode_text(const std::string& plain, std::vector<token_id>& out) const {
    const std::string text = replace_all(plain, " ", blank);
    const std::string_view view = text;
    std::vector<merge_piece> pieces;
    for (std::size_t i = 0; i < text.size();) {
      const auto length = character_length(view.substr(i));
      pieces.push_back({i, length, find_piece(view.substr(i, length))});
      i += length;
    }
    merge_queue{}.run(pieces, [&](const merge_piece& left, const merge_piece& right) -> merge_candidate {
      const auto token = find_piece(view.substr(left.begin, left.length + right.length));
      if (token < 0) return {};
      return {-static_cast<double>(scores_[static_cast<std::size_t>(token)]), token, true};
    });
    for (const auto& piece : pieces)
      if (piece.length != 0) emit(view.substr(piece.begin, piece.length), piece.symbol, out);
  }

  void emit(std::string_view text, token_id token, std::vector<token_id>& out) const {
    if (token >= 0) return out.push_back(token);
    for (const char c : text) {
      const auto byte_token = byte_tokens_[static_cast<unsigned char>(c)];
      const auto id = byte_token >= 0 ? byte_token : unknown_.value_or(-1);
      if (id >= 0) out.push_back(id);
    }
  }

  token_id find_piece(std::string_view text) const {
    const auto found = pieces_.find(text);
    return found == pieces_.end() ? -1 : found->second;
  }

  special_matcher matcher_;
  special_tokens special_;
  std::optional<token_id> unknown_;
  bool add_space_prefix_;
  std::vector<token_type> types_;
  std::vector<float> scores_;
  std::unordered_map<std::string_view, token_id> pieces_;
  std::array<token_id, 256> byte_tokens_{};
  token_bytes_table bytes_;
};

}  // namespace

result<std::unique_ptr<tokenizer>> make_sentencepiece_tokenizer(tokenizer_data data) {
  return std::unique_ptr<tokenizer>{std::make_unique<sentencepiece_tokenizer>(std::move(data))};
}

}  // namespace neap::text
