// Values as text: Python's str() and repr(), and JSON.

#include "engine/text/template/characters.hpp"
#include "engine/text/template/value.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace neap::text::jinja {
namespace {

// Python's repr of a float: the shortest digits that read back the same, with ".0" or an exponent as Python
// has it.
std::string float_text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  char buffer[64];
  const double size = std::fabs(x);
  const auto format =
      size != 0 && (size < 1e-4 || size >= 1e16) ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, format).ptr;
  std::string out(buffer, end);
  if (format == std::chars_format::fixed && out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string hex_escape(const char* format, char32_t code) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned>(code));
  return buffer;
}

// Appends characters, each with its own origin, through an escape that gives a replacement or nothing.
template <class Escape>
void append_escaped(const tainted_string& text, tainted_string& out, const Escape& escape) {
  for (std::size_t i = 0; i < text.size();) {
    const auto all = std::string_view{text.text()}.substr(i);
    const auto character = all.substr(0, decode_step(all).length);
    const std::string replacement = escape(decode_utf8(character));
    if (replacement.empty()) {
      out.append(character, text.at(i));
    } else {
      out.append(replacement, text.at(i));
    }
    i += character.size();
  }
}

// Past ASCII in JSON: one escape, or two for what UTF-16 writes as a pair.
std::string json_unicode_escape(char32_t code) {
  if (code < 0x10000) return hex_escape("\\u%04x", code);
  const auto rest = code - 0x10000;
  return hex_escape("\\u%04x", 0xD800U + (rest >> 10)) + hex_escape("\\u%04x", 0xDC00U + (rest & 0x3FFU));
}

std::string json_escape(char32_t code, bool ascii) {
  constexpr std::string_view known = "\"\\\n\r\t\b\f", letters = "\"\\nrtbf";
  if (code < 0x80)
    if (const auto at = known.find(static_cast<char>(code)); at != std::string_view::npos)
      return {'\\', letters[at]};
  return code < 0x20 || (ascii && code > 0x7E && code != 0x7F) ? json_unicode_escape(code) : "";
}

std::string repr_escape(char32_t code, char quote) {
  if (code == static_cast<char32_t>(quote) || code == U'\\') return {'\\', static_cast<char>(code)};
  if (code == U'\n') return "\\n";
  if (code == U'\r') return "\\r";
  if (code == U'\t') return "\\t";
  if (is_printable(code)) return "";
  return hex_escape(code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
}

tainted_string quoted_repr(const tainted_string& text) {
  const bool double_quotes =
      text.text().find('\'') != std::string::npos && text.text().find('"') == std::string::npos;
  const char quote = double_quotes ? '"' : '\'';
  tainted_string out{std::string_view{&quote, 1}, origin::model};
  append_escaped(text, out, [quote](char32_t code) { return repr_escape(code, quote); });
  out.append(std::string_view{&quote, 1}, origin::model);
  return out;
}

tainted_string list_repr(const list_box& items) {
  tainted_string out{items.tuple ? "(" : "[", origin::model};
  for (std::size_t i = 0; i < items.items.size(); ++i) {
    if (i > 0) out.append(", ", origin::model);
    out.append(to_repr(items.items[i]));
  }
  if (items.tuple && items.items.size() == 1) out.append(",", origin::model);
  out.append(items.tuple ? ")" : "]", origin::model);
  return out;
}

tainted_string dictionary_repr(const dictionary& members) {
  tainted_string out{"{", origin::model};
  for (std::size_t i = 0; i < members.entries.size(); ++i) {
    if (i > 0) out.append(", ", origin::model);
    out.append(quoted_repr(members.entries[i].first));
    out.append(": ", origin::model);
    out.append(to_repr(members.entries[i].second));
  }
  out.append("}", origin::model);
  return out;
}

tainted_string plain(std::string_view text) { return {text, origin::model}; }

// Numbers from the input could spell no marker, so all scalars count as the template's.
tainted_string scalar_text(const value& x) {
  if (const auto* b = x.as_bool()) return plain(*b ? "True" : "False");
  if (const auto* i = x.as_int()) return plain(std::to_string(*i));
  if (const auto* f = x.as_float()) return plain(float_text(*f));
  if (x.is_none()) return plain("None");
  if (x.is_undefined()) return {};
  return plain("<" + x.type_name() + ">");
}

tainted_string json_string(const tainted_string& text, const json_style& style) {
  tainted_string out{"\"", origin::model};
  append_escaped(text, out, [&](char32_t code) { return json_escape(code, style.ascii); });
  out.append("\"", origin::model);
  return out;
}

// "[", items with separators and line breaks, "]".
class json_frame {
 public:
  json_frame(const json_style& style, std::int64_t level, tainted_string& out)
      : style_(style), level_(level), out_(out) {}
  void next() {
    if (count_++ > 0) out_.append(style_.item_separator);
    break_line(level_ + 1);
  }
  void close(std::string_view bracket) {
    if (count_ > 0) break_line(level_);
    out_.append(bracket, origin::model);
  }

 private:
  void break_line(std::int64_t level) {
    if (style_.indent)
      out_.append(
          "\n" +
              std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, level * *style_.indent)), ' '),
          origin::model);
  }
  const json_style& style_;
  std::int64_t level_;
  tainted_string& out_;
  std::size_t count_ = 0;
};

tainted_string json_dictionary(const dictionary& members, const json_style& style, std::int64_t level) {
  auto entries = members.entries;
  if (style.sort_keys)
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first.text() < b.first.text(); });
  tainted_string out{"{", origin::model};
  json_frame frame{style, level, out};
  for (const auto& [key, item] : entries) {
    frame.next();
    out.append(json_string(key, style));
    out.append(style.key_separator);
    out.append(to_json(item, style, level + 1));
  }
  frame.close("}");
  return out;
}

tainted_string json_list(const list_box& items, const json_style& style, std::int64_t level) {
  tainted_string out{"[", origin::model};
  json_frame frame{style, level, out};
  for (const auto& item : items.items) {
    frame.next();
    out.append(to_json(item, style, level + 1));
  }
  frame.close("]");
  return out;
}

}  // namespace

tainted_string to_text(const value& x) { return x.as_string() ? *x.as_string() : to_repr(x); }

tainted_string to_repr(const value& x) {
  spend_work(1);
  if (const auto* text = x.as_string()) return quoted_repr(*text);
  if (const auto* items = x.as_list()) return list_repr(*items);
  if (const auto* members = x.as_dictionary()) return dictionary_repr(*members);
  return scalar_text(x);
}

tainted_string to_json(const value& x, const json_style& style, std::int64_t level) {
  spend_work(1);
  if (const auto* text = x.as_string()) return json_string(*text, style);
  if (const auto* items = x.as_list()) return json_list(*items, style, level);
  if (const auto* members = x.as_dictionary()) return json_dictionary(*members, style, level);
  if (const auto* b = x.as_bool()) return plain(*b ? "true" : "false");
  if (x.is_none()) return plain("null");
  if (x.as_int() || x.as_float()) return scalar_text(x);
  raise("a value of type " + x.type_name() + " cannot be written as JSON");
}

}  // namespace neap::text::jinja
