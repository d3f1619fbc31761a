// Methods of strings.

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/characters.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/methods.hpp"
#include "engine/text/template/text_formatting.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>
#include <array>

namespace neap::text::jinja {
namespace {

using text_method = value (*)(const tainted_string&, const arguments&);

const tainted_string* optional_text(const arguments& given, std::size_t position, std::string_view name) {
  // The value lives in `given`, so the pointer does too.
  if (position < given.positional.size()) return given.positional[position].as_string();
  for (const auto& [key, x] : given.named)
    if (key == name) return x.as_string();
  return nullptr;
}

template <side Where>
value strip_method(const tainted_string& text, const arguments& given) {
  return strip(text, Where, optional_text(given, 0, "chars"));
}

value split_method(const tainted_string& text, const arguments& given) {
  return value::from_list(
      split(text, optional_text(given, 0, "sep"), optional_integer(given, 1, "maxsplit", -1)));
}

value rsplit_method(const tainted_string& text, const arguments& given) {
  return value::from_list(
      split_from_right(text, optional_text(given, 0, "sep"), optional_integer(given, 1, "maxsplit", -1)));
}

// The text from the character at `argument(position)` on, and how many characters that skips.
tainted_string from_start(const tainted_string& text, const arguments& given, std::size_t position,
                          std::size_t& skipped) {
  const auto begins = character_offsets(text);
  const auto count = static_cast<std::int64_t>(begins.size());
  auto start = optional_integer(given, position, "start", 0);
  if (start < 0) start = std::max<std::int64_t>(0, start + count);
  skipped = static_cast<std::size_t>(std::min(start, count));
  return text.slice(skipped < begins.size() ? begins[skipped] : text.size());
}

// startswith and endswith take one string or a tuple of them.
template <class Match>
value any_affix(const arguments& given, const Match& match) {
  const auto affix = argument(given, 0, "prefix");
  if (affix.as_list() == nullptr) return match(need_text(affix, "startswith or endswith").text());
  for (const auto& each : affix.as_list()->items)
    if (match(need_text(each, "startswith or endswith").text())) return true;
  return false;
}

value startswith_method(const tainted_string& text, const arguments& given) {
  std::size_t skipped = 0;
  const auto from = from_start(text, given, 1, skipped);
  return any_affix(given, [&](const std::string& affix) { return from.text().starts_with(affix); });
}

value endswith_method(const tainted_string& text, const arguments& given) {
  std::size_t skipped = 0;
  const auto from = from_start(text, given, 1, skipped);
  return any_affix(given, [&](const std::string& affix) { return from.text().ends_with(affix); });
}

value replace_method(const tainted_string& text, const arguments& given) {
  return replace(text, need_text(argument(given, 0, "old"), "replace"),
                 need_text(argument(given, 1, "new"), "replace"), optional_integer(given, 2, "count", -1));
}

// In characters, -1 if absent.
template <bool FromRight>
std::int64_t position_of(const tainted_string& text, const arguments& given) {
  std::size_t skipped = 0;
  const auto wanted = need_text(argument(given, 0, "sub"), "find");
  const auto from = from_start(text, given, 1, skipped);
  const auto at = FromRight ? from.text().rfind(wanted.text()) : from.text().find(wanted.text());
  if (at == std::string::npos) return -1;
  return static_cast<std::int64_t>(skipped + count_characters(from.slice(0, at)));
}

template <bool FromRight>
value find_method(const tainted_string& text, const arguments& given) {
  return position_of<FromRight>(text, given);
}

template <bool FromRight>
value index_method(const tainted_string& text, const arguments& given) {
  const auto at = position_of<FromRight>(text, given);
  if (at < 0) raise("index of a text that does not occur");
  return at;
}

// Before, separator, after; an absent separator leaves the whole text first (last, from the right).
template <bool FromRight>
value partition_method(const tainted_string& text, const arguments& given) {
  const auto separator = need_text(argument(given, 0, "sep"), "partition");
  if (separator.empty()) raise("partition needs a separator that is not empty");
  const auto at = FromRight ? text.text().rfind(separator.text()) : text.text().find(separator.text());
  const value none = tainted_string{};
  if (at == std::string::npos)
    return value::from_list(FromRight ? list{none, none, text} : list{text, none, none}, true);
  return value::from_list(
      {text.slice(0, at), text.slice(at, separator.size()), text.slice(at + separator.size())}, true);
}

value count_method(const tainted_string& text, const arguments& given) {
  const auto wanted = need_text(argument(given, 0, "sub"), "count");
  if (wanted.empty()) raise("count needs a text that is not empty");
  return static_cast<std::int64_t>(split(text, &wanted, -1).size()) - 1;
}

value join_method(const tainted_string& text, const arguments& given) {
  const auto items = iterate(argument(given, 0, "iterable"));
  for (const auto& item : items) need_text(item, "join");
  return join(items, text);
}

value removeprefix_method(const tainted_string& text, const arguments& given) {
  const auto affix = need_text(argument(given, 0, "prefix"), "removeprefix").text();
  return text.text().starts_with(affix) ? text.slice(affix.size()) : text;
}

value removesuffix_method(const tainted_string& text, const arguments& given) {
  const auto affix = need_text(argument(given, 0, "suffix"), "removesuffix").text();
  return text.text().ends_with(affix) ? text.slice(0, text.size() - affix.size()) : text;
}

template <class Check>
value every(const tainted_string& text, const Check& check) {
  const auto begins = character_offsets(text);
  return !begins.empty() && std::all_of(begins.begin(), begins.end(), [&](std::size_t at) {
    return check(decode_utf8(character_at(text, at).text()));
  });
}

bool is_digit(char32_t code) { return code >= U'0' && code <= U'9'; }

value isdigit_method(const tainted_string& text, const arguments&) { return every(text, is_digit); }
value isalpha_method(const tainted_string& text, const arguments&) { return every(text, is_letter); }
value isspace_method(const tainted_string& text, const arguments&) { return every(text, is_blank); }
value isalnum_method(const tainted_string& text, const arguments&) {
  return every(text, [](char32_t code) { return is_digit(code) || is_letter(code); });
}
value isupper_method(const tainted_string& text, const arguments&) { return is_upper(text); }
value islower_method(const tainted_string& text, const arguments&) { return is_lower(text); }

value splitlines_method(const tainted_string& text, const arguments& given) {
  return value::from_list(split_lines(text, argument(given, 0, "keepends", false).truthy()));
}

value format_method(const tainted_string& text, const arguments& given) { return format_braces(text, given); }

template <tainted_string (*Change)(const tainted_string&)>
value changed(const tainted_string& text, const arguments&) {
  return Change(text);
}

constexpr std::array<std::pair<std::string_view, text_method>, 32> text_methods{{
    {"strip", strip_method<side::both>},
    {"lstrip", strip_method<side::left>},
    {"rstrip", strip_method<side::right>},
    {"split", split_method},
    {"rsplit", rsplit_method},
    {"splitlines", splitlines_method},
    {"partition", partition_method<false>},
    {"rpartition", partition_method<true>},
    {"startswith", startswith_method},
    {"endswith", endswith_method},
    {"replace", replace_method},
    {"find", find_method<false>},
    {"rfind", find_method<true>},
    {"index", index_method<false>},
    {"rindex", index_method<true>},
    {"count", count_method},
    {"join", join_method},
    {"removeprefix", removeprefix_method},
    {"removesuffix", removesuffix_method},
    {"format", format_method},
    {"upper", changed<upper>},
    {"lower", changed<lower>},
    {"capitalize", changed<capitalize>},
    {"title", changed<title>},
    {"isdigit", isdigit_method},
    {"isnumeric", isdigit_method},
    {"isdecimal", isdigit_method},
    {"isalpha", isalpha_method},
    {"isalnum", isalnum_method},
    {"isspace", isspace_method},
    {"isupper", isupper_method},
    {"islower", islower_method},
}};

}  // namespace

value text_method_of(const tainted_string& text, const std::string& name) {
  for (const auto& [candidate, method] : text_methods)
    if (candidate == name)
      return native_function{[text, call = method](const arguments& given) { return call(text, given); }};
  return {};
}

}  // namespace neap::text::jinja
