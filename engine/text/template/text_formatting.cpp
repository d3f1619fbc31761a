// Python's two ways to format text, as far as templates go.

#include "engine/text/template/text_formatting.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/characters.hpp"
#include "engine/text/template/members.hpp"

#include <algorithm>
#include <cstdio>

namespace neap::text::jinja {
namespace {

constexpr std::size_t max_width = 256;

// %[flags][width][.precision]kind
struct directive {
  bool left = false;
  bool zeros = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision;
  char kind = 's';
};

std::size_t read_number(const std::string& text, std::size_t& at) {
  std::size_t out = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    out = out * 10 + static_cast<std::size_t>(text[at] - '0');
  if (out > max_width) raise("a format width over 256");
  return out;
}

// `at` is behind the % sign and moves behind the directive.
directive read_directive(const std::string& text, std::size_t& at) {
  directive out;
  for (; at < text.size() && (text[at] == '-' || text[at] == '0'); ++at)
    (text[at] == '-' ? out.left : out.zeros) = true;
  out.width = read_number(text, at);
  if (at < text.size() && text[at] == '.') out.precision = read_number(text, ++at);
  if (at >= text.size()) raise("a format ends in the middle");
  out.kind = text[at++];
  return out;
}

std::string number_text(const directive& how, const value& x) {
  char buffer[700];
  if (how.kind == 'f' || how.kind == 'e' || how.kind == 'g') {
    if (!x.number()) raise("a number format needs a number");
    const char format[] = {'%', '.', '*', how.kind, '\0'};
    std::snprintf(buffer, sizeof buffer, format, static_cast<int>(how.precision.value_or(6)), *x.number());
    return buffer;
  }
  const auto whole = x.as_float() != nullptr
                         ? std::optional{static_cast<std::int64_t>(std::clamp(*x.as_float(), -9e18, 9e18))}
                         : x.integer();
  if (!whole) raise("a number format needs a number");
  const auto size = *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
  const char* format = how.kind == 'x'   ? "%s%lx"
                       : how.kind == 'X' ? "%s%lX"
                       : how.kind == 'o' ? "%s%lo"
                                         : "%s%lu";
  std::snprintf(buffer, sizeof buffer, format, *whole < 0 ? "-" : "", static_cast<unsigned long>(size));
  return buffer;
}

tainted_string padded(const tainted_string& text, const directive& how) {
  const auto length = count_characters(text);
  if (length >= how.width) return text;
  const bool number = how.kind != 's' && how.kind != 'r';
  const bool zeros = how.zeros && number && !how.left;
  const tainted_string fill{std::string(how.width - length, zeros ? '0' : ' '), origin::model};
  tainted_string out;
  const std::size_t sign = zeros && text.text().starts_with('-') ? 1 : 0;
  out.append(text.slice(0, how.left ? std::string::npos : sign));
  out.append(fill);
  if (!how.left) out.append(text.slice(sign));
  return out;
}

tainted_string format_one(const directive& how, const value& x) {
  if (std::string_view{"diuxXofeg"}.find(how.kind) != std::string_view::npos)
    return padded({number_text(how, x), origin::model}, how);
  if (how.kind != 's' && how.kind != 'r') raise("this % format is not supported");
  auto text = how.kind == 'r' ? to_repr(x) : to_text(x);
  if (how.precision) {
    const auto begins = character_offsets(text);
    if (*how.precision < begins.size()) text = text.slice(0, begins[*how.precision]);
  }
  return padded(text, how);
}

// The value that a {field} names: "", "0", "name", each with .attribute or [index] not supported.
value braces_value(const std::string& field, const arguments& given, std::size_t& next) {
  const bool digits =
      !field.empty() && field.size() < 4 && field.find_first_not_of("0123456789") == std::string::npos;
  const auto position = field.empty() ? next++
                        : digits      ? static_cast<std::size_t>(std::stoi(field))
                                      : given.positional.size();
  if (position < given.positional.size()) return given.positional[position];
  for (const auto& [name, x] : given.named)
    if (name == field) return x;
  raise("format has no value for {" + field + "}");
}

}  // namespace

value format_percent(const tainted_string& pattern, const value& right) {
  const bool several = right.as_list() != nullptr && right.as_list()->tuple;
  const auto items = several ? right.as_list()->items : list{right};
  tainted_string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto sign = std::min(pattern.text().find('%', at), pattern.size());
    out.append(pattern.slice(at, sign - at));
    at = sign;
    if (at == pattern.size()) break;
    const auto how = read_directive(pattern.text(), ++at);
    if (how.kind == '%') {
      out.append(pattern.slice(at - 1, 1));
      continue;
    }
    if (used >= items.size()) raise("not enough values for a % format");
    out.append(format_one(how, items[used++]));
  }
  if (several && used < items.size()) raise("too many values for a % format");
  return out;
}

tainted_string format_braces(const tainted_string& pattern, const arguments& given) {
  tainted_string out;
  std::size_t next = 0;
  const auto& text = pattern.text();
  for (std::size_t at = 0; at < text.size();) {
    const bool brace = text[at] == '{' || text[at] == '}';
    if (!brace || (at + 1 < text.size() && text[at + 1] == text[at])) {
      out.append(pattern.slice(at, 1));
      at += brace ? 2 : 1;
      continue;
    }
    const auto end = text.find('}', at);
    if (text[at] == '}' || end == std::string::npos) raise("a single brace in a format");
    out.append(to_text(braces_value(text.substr(at + 1, end - at - 1), given, next)));
    at = end + 1;
  }
  return out;
}

}  // namespace neap::text::jinja
