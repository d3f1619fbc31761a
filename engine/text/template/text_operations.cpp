#include "engine/text/template/text_operations.hpp"

#include "engine/text/template/characters.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>

namespace neap::text::jinja {
namespace {

// Whether a character is one to strip.
bool strippable(std::string_view character, const tainted_string* set) {
  if (set == nullptr) return is_blank(decode_utf8(character));
  return set->text().find(character) != std::string::npos;
}

std::size_t last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return begin;
}

// The end of the run of blanks, or of other characters, that starts at `at`.
std::size_t end_of_run(std::string_view text, std::size_t at, bool blanks) {
  while (at < text.size()) {
    const auto length = decode_step(text.substr(at)).length;
    if (is_blank(decode_utf8(text.substr(at, length))) != blanks) break;
    at += length;
  }
  return at;
}

std::vector<value> split_blanks(const tainted_string& text, std::int64_t limit) {
  std::vector<value> out;
  for (auto at = end_of_run(text.text(), 0, true); at < text.size();) {
    const bool rest = limit >= 0 && static_cast<std::int64_t>(out.size()) == limit;
    const auto end = rest ? text.size() : end_of_run(text.text(), at, false);
    out.emplace_back(text.slice(at, end - at));
    at = end_of_run(text.text(), end, true);
  }
  return out;
}

std::vector<value> split_blanks_from_right(const tainted_string& text, std::int64_t limit) {
  auto words = split_blanks(text, -1);
  const auto count = static_cast<std::int64_t>(words.size());
  if (limit < 0 || count <= limit + 1) return words;
  // Walk back over the last `limit` words; what stands before them is one piece.
  auto rest = strip(text, side::right, nullptr);
  for (std::int64_t i = 0; i < limit; ++i) {
    const auto& word = *words[static_cast<std::size_t>(count - 1 - i)].as_string();
    rest = strip(rest.slice(0, rest.size() - word.size()), side::right, nullptr);
  }
  std::vector<value> out{value{std::move(rest)}};
  out.insert(out.end(), words.end() - static_cast<std::ptrdiff_t>(limit), words.end());
  return out;
}

// Each character through a change of case, with its origin.
template <class Change>
tainted_string change_case(const tainted_string& text, const Change& change) {
  tainted_string out;
  const std::string_view all = text.text();
  for (std::size_t i = 0; i < all.size();) {
    const auto step = decode_step(all.substr(i));
    const auto character = all.substr(i, step.length);
    if (step.valid) {
      out.append(change(decode_utf8(character)), text.at(i));
    } else {
      out.append(character, text.at(i));
    }
    i += step.length;
  }
  return out;
}

std::string upper_text(char32_t code) { return code == 0xDF ? "SS" : encode_utf8(upper_code(code)); }
std::string title_text(char32_t code) { return code == 0xDF ? "Ss" : encode_utf8(upper_code(code)); }
std::string lower_text(char32_t code) { return encode_utf8(lower_code(code)); }

// Where `text` breaks at `at`: the length of the line break there, or 0.
std::size_t line_break(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "\r\n") return 2;
  const auto length = decode_step(text.substr(at)).length;
  const auto code = decode_utf8(text.substr(at, length));
  const bool breaks = (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
                      code == 0x2028 || code == 0x2029;
  return breaks ? length : 0;
}

// An empty text is found before every character and at the end.
tainted_string interleave(const tainted_string& text, const tainted_string& with, std::int64_t limit) {
  tainted_string out;
  std::int64_t count = 0;
  const auto put = [&] {
    if (limit < 0 || count++ < limit) out.append(with);
  };
  put();
  for (std::size_t i = 0; i < text.size();) {
    const auto character = character_at(text, i);
    out.append(character);
    i += character.size();
    put();
  }
  return out;
}

}  // namespace

tainted_string need_text(const value& x, std::string_view where) {
  if (const auto* nothing = x.as_undefined()) raise("'" + nothing->name + "' is undefined");
  if (x.as_string() == nullptr) raise(std::string{where} + " needs a string, not " + x.type_name());
  return *x.as_string();
}

tainted_string strip(const tainted_string& text, side where, const tainted_string* characters) {
  const std::string_view all = text.text();
  std::size_t begin = 0, end = all.size();
  while (where != side::right && begin < end) {
    const auto length = decode_step(all.substr(begin)).length;
    if (!strippable(all.substr(begin, length), characters)) break;
    begin += length;
  }
  while (where != side::left && begin < end) {
    const auto last = begin + last_character(all.substr(begin, end - begin));
    if (!strippable(all.substr(last, end - last), characters)) break;
    end = last;
  }
  return text.slice(begin, end - begin);
}

std::vector<value> split(const tainted_string& text, const tainted_string* separator, std::int64_t limit) {
  if (separator == nullptr) return split_blanks(text, limit);
  if (separator->empty()) raise("split needs a separator that is not empty");
  std::vector<value> out;
  std::size_t done = 0;
  while (limit < 0 || static_cast<std::int64_t>(out.size()) < limit) {
    const auto at = text.text().find(separator->text(), done);
    if (at == std::string::npos) break;
    out.emplace_back(text.slice(done, at - done));
    done = at + separator->size();
  }
  out.emplace_back(text.slice(done));
  return out;
}

std::vector<value> split_from_right(const tainted_string& text, const tainted_string* by,
                                    std::int64_t limit) {
  if (by == nullptr) return split_blanks_from_right(text, limit);
  const auto& separator = *by;
  if (separator.empty()) raise("rsplit needs a separator that is not empty");
  std::vector<value> out;
  std::size_t end = text.size();
  while (limit < 0 || static_cast<std::int64_t>(out.size()) < limit) {
    if (end < separator.size()) break;
    const auto at = text.text().rfind(separator.text(), end - separator.size());
    if (at == std::string::npos) break;
    out.emplace_back(text.slice(at + separator.size(), end - at - separator.size()));
    end = at;
  }
  out.emplace_back(text.slice(0, end));
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<value> split_lines(const tainted_string& text, bool keep_breaks) {
  std::vector<value> out;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = line_break(text.text(), at);
    if (length != 0) {
      out.emplace_back(text.slice(done, at - done + (keep_breaks ? length : 0)));
      done = at + length;
    }
    at += length != 0 ? length : decode_step(std::string_view{text.text()}.substr(at)).length;
  }
  if (done < text.size()) out.emplace_back(text.slice(done));
  return out;
}

tainted_string replace(const tainted_string& text, const tainted_string& from, const tainted_string& to,
                       std::int64_t limit) {
  if (from.empty()) return interleave(text, to, limit);
  tainted_string out;
  std::size_t done = 0;
  for (std::int64_t count = 0; limit < 0 || count < limit; ++count) {
    const auto at = text.text().find(from.text(), done);
    if (at == std::string::npos) break;
    out.append(text.slice(done, at - done));
    out.append(to);
    done = at + from.size();
  }
  out.append(text.slice(done));
  return out;
}

tainted_string upper(const tainted_string& text) { return change_case(text, upper_text); }

tainted_string lower(const tainted_string& text) { return change_case(text, lower_text); }

tainted_string capitalize(const tainted_string& text) {
  bool first = true;
  return change_case(
      text, [&](char32_t code) { return std::exchange(first, false) ? title_text(code) : lower_text(code); });
}

tainted_string title(const tainted_string& text) {
  bool inside = false;
  return change_case(text, [&](char32_t code) {
    return std::exchange(inside, is_letter(code)) ? lower_text(code) : title_text(code);
  });
}

tainted_string title_words(const tainted_string& text) {
  bool inside = false;
  return change_case(text, [&](char32_t code) {
    const bool separates =
        is_blank(code) ||
        (code < 0x80 && std::string_view{"-({[<"}.find(static_cast<char>(code)) != std::string_view::npos);
    return std::exchange(inside, !separates) ? lower_text(code) : title_text(code);
  });
}

bool is_lower(const tainted_string& text) {
  return lower(text).text() == text.text() && upper(text).text() != text.text();
}

bool is_upper(const tainted_string& text) {
  return upper(text).text() == text.text() && lower(text).text() != text.text();
}

tainted_string join(const std::vector<value>& items, const tainted_string& separator) {
  tainted_string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(to_text(items[i]));
  }
  return out;
}

tainted_string indent(const tainted_string& text, const tainted_string& by, bool first, bool blank) {
  tainted_string out;
  std::size_t done = 0;
  for (bool is_first = true; done < text.size(); is_first = false) {
    const auto at = std::min(text.text().find('\n', done), text.size());
    const bool empty_line = at == done;
    if ((!is_first || first) && (blank || !empty_line)) out.append(by);
    out.append(text.slice(done, at + 1 - done));
    done = at + 1;
  }
  return out;
}

tainted_string escape_html(const tainted_string& text) {
  constexpr std::string_view specials = "&<>'\"";
  constexpr const char* entities[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  tainted_string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto found = specials.find(text.text()[i]);
    if (found == std::string_view::npos) {
      out.append(text.slice(i, 1));
    } else {
      out.append(entities[found], text.at(i));
    }
  }
  return out;
}

}  // namespace neap::text::jinja
