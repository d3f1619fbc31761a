#include "engine/text/template/text_operations.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>

namespace neap::text::jinja {
namespace {

constexpr std::string_view blanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
char upper_char(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char lower_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Whether the character at `at` is one to strip, and its length.
std::size_t strippable(std::string_view character, const tainted_string* set) {
  if (set == nullptr) return character.size() == 1 && is_blank(character[0]) ? 1 : 0;
  return set->text().find(character) != std::string::npos ? character.size() : 0;
}

std::size_t last_character(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return begin;
}

std::vector<value> split_blanks(const tainted_string& text, std::int64_t limit) {
  std::vector<value> out;
  std::size_t at = 0;
  const auto skip = [&](bool over_blanks) {
    while (at < text.size() && is_blank(text.text()[at]) == over_blanks) ++at;
  };
  for (skip(true); at < text.size(); skip(true)) {
    const auto begin = at;
    if (limit >= 0 && static_cast<std::int64_t>(out.size()) == limit) {
      out.emplace_back(strip(text.slice(begin), side::right, nullptr));
      break;
    }
    skip(false);
    out.emplace_back(text.slice(begin, at - begin));
  }
  return out;
}

}  // namespace

const tainted_string& need_text(const value& x, std::string_view where) {
  if (const auto* nothing = x.as_undefined()) raise("'" + nothing->name + "' is undefined");
  if (x.as_string() == nullptr) raise(std::string{where} + " needs a string, not " + x.type_name());
  return *x.as_string();
}

tainted_string strip(const tainted_string& text, side where, const tainted_string* characters) {
  const std::string_view all = text.text();
  std::size_t begin = 0, end = all.size();
  while (where != side::right && begin < end) {
    const auto length = strippable(all.substr(begin, decode_step(all.substr(begin)).length), characters);
    if (length == 0) break;
    begin += length;
  }
  while (where != side::left && begin < end) {
    const auto last = begin + last_character(all.substr(begin, end - begin));
    if (strippable(all.substr(last, end - last), characters) == 0) break;
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

std::vector<value> split_from_right(const tainted_string& text, const tainted_string& separator,
                                    std::int64_t limit) {
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

std::vector<value> split_lines(const tainted_string& text) {
  std::vector<value> out;
  std::size_t done = 0;
  while (done < text.size()) {
    const auto at = std::min(text.text().find_first_of("\r\n", done), text.size());
    out.emplace_back(text.slice(done, at - done));
    done = at + (text.text().compare(at, 2, "\r\n") == 0 ? 2 : 1);
  }
  return out;
}

tainted_string replace(const tainted_string& text, const tainted_string& from, const tainted_string& to,
                       std::int64_t limit) {
  if (from.empty()) raise("replace needs a text to look for");
  tainted_string out;
  std::size_t done = 0;
  for (std::int64_t count = 0; limit < 0 || count < limit; ++count) {
    const auto at = text.text().find(from.text(), done);
    if (at == std::string::npos) break;
    out.append(text.slice(done, at - done));
    out.append(to);
    done = at + from.size();
    if (out.size() > (16U << 20)) raise("a text that is too long");
  }
  out.append(text.slice(done));
  return out;
}

tainted_string upper(const tainted_string& text) { return text.map(upper_char); }

tainted_string lower(const tainted_string& text) { return text.map(lower_char); }

tainted_string capitalize(const tainted_string& text) {
  bool first = true;
  return text.map([&](char c) { return std::exchange(first, false) ? upper_char(c) : lower_char(c); });
}

tainted_string title(const tainted_string& text) {
  bool inside = false;
  return text.map([&](char c) {
    const char out = inside ? lower_char(c) : upper_char(c);
    inside = is_letter(c);
    return out;
  });
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
