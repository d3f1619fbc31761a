#pragma once
// Text in which every byte remembers whether the template wrote it or it came from the input. Only the
// template's own text may become control tokens, so the origin survives slices, filters and concatenation.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace neap::text::jinja {

enum class origin : char { input = 0, model = 1 };  // model: the template itself

// No text of a rendering grows past this; more is an error of the template.
inline constexpr std::size_t max_text_bytes = 16U << 20;
[[noreturn]] void raise_too_long();

class tainted_string {
 public:
  tainted_string() = default;
  tainted_string(std::string_view text, origin from)
      : text_(text), marks_(text.size(), static_cast<char>(from)) {}

  const std::string& text() const noexcept { return text_; }
  std::size_t size() const noexcept { return text_.size(); }
  bool empty() const noexcept { return text_.empty(); }
  origin at(std::size_t i) const { return static_cast<origin>(marks_[i]); }

  void append(const tainted_string& other) {
    check(other.size());
    text_ += other.text_;
    marks_ += other.marks_;
  }
  void append(std::string_view text, origin from) {
    check(text.size());
    text_ += text;
    marks_.append(text.size(), static_cast<char>(from));
  }

  tainted_string slice(std::size_t begin, std::size_t count = std::string::npos) const {
    tainted_string out;
    out.text_ = text_.substr(begin, count);
    out.marks_ = marks_.substr(begin, count);
    return out;
  }

  // The same origins with other bytes of the same length (upper, lower).
  template <class Function>
  tainted_string map(const Function& change) const {
    tainted_string out = *this;
    for (auto& c : out.text_) c = change(c);
    return out;
  }

  // The origin of made-up text (a count, a JSON dump): the template's only if all it was made from is.
  origin weakest() const noexcept {
    return marks_.find('\0') == std::string::npos ? origin::model : origin::input;
  }

 private:
  void check(std::size_t more) const {
    if (text_.size() + more > max_text_bytes) raise_too_long();
  }

  std::string text_;
  std::string marks_;  // one per byte
};

}  // namespace neap::text::jinja
