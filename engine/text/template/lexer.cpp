#include "engine/text/template/lexer.hpp"

#include "engine/text/template/characters.hpp"
#include "engine/text/template/value.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace neap::text::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class lexer {
 public:
  explicit lexer(std::string_view source) : source_(source) {
    if (!source_.empty() && source_.back() == '\n') source_.remove_suffix(1);
    if (!source_.empty() && source_.back() == '\r') source_.remove_suffix(1);
  }

  std::vector<token> run() {
    while (at_ < source_.size()) lex_text();
    add(token_kind::end, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw template_error{message, line_}; }

  void add(token_kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  void advance(std::size_t count) {
    line_ += static_cast<std::size_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 source_.begin() + static_cast<std::ptrdiff_t>(at_ + count),
                                                 '\n'));
    at_ += count;
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  static std::size_t find_tag(std::string_view source, std::size_t from) {
    for (auto at = source.find('{', from); at != std::string_view::npos; at = source.find('{', at + 1))
      if (at + 1 < source.size() && (source[at + 1] == '{' || source[at + 1] == '%' || source[at + 1] == '#'))
        return at;
    return std::string_view::npos;
  }

  // Text up to the next tag, then the tag.
  void lex_text() {
    const auto tag = find_tag(source_, at_);
    std::string text{source_.substr(at_, tag == std::string_view::npos ? tag : tag - at_)};
    const std::size_t raw = text.size();
    if (std::exchange(trim_left_, false)) text.erase(0, text.find_first_not_of(" \t\n\r\f\v"));
    if (tag != std::string_view::npos) strip_before(text, tag);
    if (!text.empty()) add(token_kind::text, std::move(text));
    advance(raw);
    if (tag != std::string_view::npos) lex_tag();
  }

  // What stands before a tag: `-` eats all blanks; a statement or comment alone on its line eats its
  // indentation.
  void strip_before(std::string& text, std::size_t tag) const {
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    if (sign == '-') {
      text.erase(text.find_last_not_of(" \t\n\r\f\v") + 1);
    } else if (kind != '{' && sign != '+') {
      const auto end = text.find_last_not_of(" \t") + 1;
      const bool starts_line =
          end == 0 ? (tag == text.size() || source_[tag - text.size() - 1] == '\n') : text[end - 1] == '\n';
      if (starts_line) text.erase(end);
    }
  }

  void lex_tag() {
    const char kind = peek(1);
    const std::size_t sign = peek(2) == '-' || peek(2) == '+' ? 1 : 0;
    advance(2 + sign);
    if (kind == '#') return lex_comment();
    if (kind == '%' && lex_raw()) return;
    add(kind == '{' ? token_kind::expression_open : token_kind::statement_open, "");
    lex_inside(kind == '{' ? "}}" : "%}");
    after_tag(kind);
  }

  // The length of `name` and a tag's end at `at`, with blanks around it; 0 if something else is there.
  std::size_t simple_tag(std::size_t at, std::string_view name, char& sign) const {
    const auto blank = [&](std::size_t i) { return i < source_.size() && is_blank(source_[i]); };
    std::size_t end = at;
    while (blank(end)) ++end;
    if (source_.substr(end, name.size()) != name) return 0;
    end += name.size();
    while (blank(end)) ++end;
    sign = end < source_.size() ? source_[end] : '\0';
    if (sign == '-' || sign == '+') ++end;
    return source_.substr(end, 2) == "%}" ? end + 2 - at : 0;
  }

  // {% raw %} up to {% endraw %} is text.
  bool lex_raw() {
    char sign = '\0';
    const auto opening = simple_tag(at_, "raw", sign);
    if (opening == 0) return false;
    advance(opening);
    const auto begin = at_;
    for (auto tag = source_.find("{%", at_); tag != std::string_view::npos;
         tag = source_.find("{%", tag + 1)) {
      const bool signed_tag =
          tag + 2 < source_.size() && (source_[tag + 2] == '-' || source_[tag + 2] == '+');
      const auto inside = tag + (signed_tag ? 3 : 2);
      char end_sign = '\0';
      const auto closing = simple_tag(inside, "endraw", end_sign);
      if (closing == 0) continue;
      add_raw(begin, tag, sign);
      advance(inside + closing - at_);
      trim_left_ = end_sign == '-';
      if (end_sign != '-' && end_sign != '+') skip_newline();
      return true;
    }
    fail("{% raw %} is not closed");
  }

  void add_raw(std::size_t begin, std::size_t end, char sign) {
    std::string text{source_.substr(begin, end - begin)};
    if (sign == '-') text.erase(0, text.find_first_not_of(" \t\n\r\f\v"));
    strip_before(text, end);
    if (!text.empty()) add(token_kind::text, std::move(text));
  }

  void lex_comment() {
    const auto end = source_.find("#}", at_);
    if (end == std::string_view::npos) fail("a comment is not closed");
    const bool strips = end > at_ && source_[end - 1] == '-';
    const bool keeps = end > at_ && source_[end - 1] == '+';
    advance(end + 2 - at_);
    trim_left_ = strips;
    if (!strips && !keeps) skip_newline();
  }

  void skip_newline() {
    if (peek() == '\r' && peek(1) == '\n') advance(1);
    if (peek() == '\n') advance(1);
  }

  void after_tag(char kind) {
    if (kind == '%' && !trim_left_ && !keep_newline_) skip_newline();
    keep_newline_ = false;
  }

  void lex_inside(std::string_view closing) {
    int brackets = 0;
    for (;;) {
      while (at_ < source_.size() && is_blank(peek())) advance(1);
      if (at_ >= source_.size()) fail("a tag is not closed with " + std::string{closing});
      if (brackets == 0 && lex_close(closing)) return;
      const std::size_t before = tokens_.size();
      lex_item();
      const auto& text = tokens_[before].text;
      if (tokens_[before].kind != token_kind::symbol) continue;
      if (text == "(" || text == "[" || text == "{") ++brackets;
      if (text == ")" || text == "]" || text == "}") --brackets;
    }
  }

  bool lex_close(std::string_view closing) {
    const bool strips = peek() == '-' && source_.substr(at_ + 1, 2) == closing;
    const bool keeps = peek() == '+' && closing == "%}" && source_.substr(at_ + 1, 2) == closing;
    if (!strips && !keeps && !starts(closing)) return false;
    add(token_kind::close, "");
    advance(strips || keeps ? 3 : 2);
    trim_left_ = strips;
    keep_newline_ = keeps;
    return true;
  }

  void lex_item() {
    if (is_digit(peek())) return lex_number();
    if (is_name_start(peek())) return lex_name();
    if (peek() == '"' || peek() == '\'') return lex_string();
    constexpr std::array<std::string_view, 7> pairs{"==", "!=", "<=", ">=", "//", "**", "~"};
    for (const auto symbol : pairs)
      if (starts(symbol)) return lex_symbol(symbol.size());
    if (std::string_view{"+-*/%<>=|.,:()[]{}"}.find(peek()) == std::string_view::npos)
      fail("unexpected character in a tag");
    lex_symbol(1);
  }

  void lex_symbol(std::size_t length) {
    add(token_kind::symbol, std::string{source_.substr(at_, length)});
    advance(length);
  }

  void lex_name() {
    std::size_t length = 0;
    while (is_name_start(peek(length)) || is_digit(peek(length))) ++length;
    add(token_kind::name, std::string{source_.substr(at_, length)});
    advance(length);
  }

  void lex_number() {
    std::size_t length = 0;
    bool real = false;
    while (is_digit(peek(length)) || peek(length) == '_') ++length;
    // After a dot it is an index: a.1.0 is (a.1).0.
    const bool index = at_ > 0 && source_[at_ - 1] == '.';
    if (!index && peek(length) == '.' && is_digit(peek(length + 1))) {
      real = true;
      for (++length; is_digit(peek(length));) ++length;
    }
    if (!index && (peek(length) == 'e' || peek(length) == 'E')) {
      const std::size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) {
        real = true;
        for (length += 2 + sign; is_digit(peek(length));) ++length;
      }
    }
    std::string text{source_.substr(at_, length)};
    std::erase(text, '_');
    add(real ? token_kind::real : token_kind::integer, std::move(text));
    advance(length);
  }

  void lex_string() {
    const char quote = peek();
    std::string out;
    std::size_t i = 1;
    for (; peek(i) != quote; ++i) {
      if (at_ + i >= source_.size()) fail("a string is not closed");
      if (peek(i) == '\\') {
        i = escape(i + 1, out);
      } else {
        out += peek(i);
      }
    }
    add(token_kind::string, std::move(out));
    advance(i + 1);
  }

  // The escape whose letter is at `i`; answers the index of its last character.
  std::size_t escape(std::size_t i, std::string& out) const {
    const char c = peek(i);
    constexpr std::string_view letters = "ntrbfva\\'\"";
    constexpr std::string_view values{"\n\t\r\b\f\v\a\\'\""};
    if (c == 'x') return hex(i, 2, out);
    if (c == 'u') return hex(i, 4, out);
    if (c == 'U') return hex(i, 8, out);
    if (c == '\n') return i;
    if (c >= '0' && c <= '7') return octal(i, out);
    const auto known = letters.find(c);
    if (known == std::string_view::npos || c == '\0') {
      out += '\\';
      if (at_ + i < source_.size()) out += c;
    } else {
      out += values[known];
    }
    return i;
  }

  // One to three digits from `i` on.
  std::size_t octal(std::size_t i, std::string& out) const {
    unsigned code = 0;
    std::size_t count = 0;
    for (; count < 3 && peek(i + count) >= '0' && peek(i + count) <= '7'; ++count)
      code = code * 8 + static_cast<unsigned>(peek(i + count) - '0');
    out += encode_utf8(code);
    return i + count - 1;
  }

  std::size_t hex(std::size_t i, std::size_t digits, std::string& out) const {
    unsigned code = 0;
    for (std::size_t k = 1; k <= digits; ++k) {
      const auto c = static_cast<unsigned char>(peek(i + k));
      if (std::isxdigit(c) == 0) fail("a broken \\x or \\u escape");
      code =
          code * 16 + static_cast<unsigned>(is_digit(static_cast<char>(c)) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) fail("a \\u escape that is no character");
    out += encode_utf8(code);
    return i + digits;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool trim_left_ = false;     // the last tag ended with `-`
  bool keep_newline_ = false;  // the last tag ended with `+`
  std::vector<token> tokens_;
};

}  // namespace

std::vector<token> tokenize(std::string_view source) { return lexer{source}.run(); }

}  // namespace neap::text::jinja
