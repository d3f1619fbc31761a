// Methods of strings, dictionaries and lists.

#include "engine/text/template/interpreter.hpp"
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

std::int64_t optional_integer(const arguments& given, std::size_t position, std::string_view name,
                              std::int64_t fallback) {
  return argument(given, position, name, fallback).integer().value_or(fallback);
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
  const auto* separator = optional_text(given, 0, "sep");
  const auto limit = optional_integer(given, 1, "maxsplit", -1);
  if (separator == nullptr) {
    if (limit >= 0) raise("rsplit with a limit needs a separator");
    return value::from_list(split(text, nullptr, -1));
  }
  return value::from_list(split_from_right(text, *separator, limit));
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
  return any_affix(given, [&](const std::string& affix) { return text.text().starts_with(affix); });
}

value endswith_method(const tainted_string& text, const arguments& given) {
  return any_affix(given, [&](const std::string& affix) { return text.text().ends_with(affix); });
}

value replace_method(const tainted_string& text, const arguments& given) {
  return replace(text, need_text(argument(given, 0, "old"), "replace"),
                 need_text(argument(given, 1, "new"), "replace"), optional_integer(given, 2, "count", -1));
}

value find_method(const tainted_string& text, const arguments& given) {
  const auto at = text.text().find(need_text(argument(given, 0, "sub"), "find").text());
  if (at == std::string::npos) return std::int64_t{-1};
  return static_cast<std::int64_t>(iterate(value{text.slice(0, at)}).size());  // in characters
}

value count_method(const tainted_string& text, const arguments& given) {
  const auto& wanted = need_text(argument(given, 0, "sub"), "count");
  if (wanted.empty()) raise("count needs a text that is not empty");
  return static_cast<std::int64_t>(split(text, &wanted, -1).size()) - 1;
}

value join_method(const tainted_string& text, const arguments& given) {
  return join(iterate(argument(given, 0, "iterable")), text);
}

value removeprefix_method(const tainted_string& text, const arguments& given) {
  const auto& affix = need_text(argument(given, 0, "prefix"), "removeprefix").text();
  return text.text().starts_with(affix) ? text.slice(affix.size()) : text;
}

value removesuffix_method(const tainted_string& text, const arguments& given) {
  const auto& affix = need_text(argument(given, 0, "suffix"), "removesuffix").text();
  return text.text().ends_with(affix) ? text.slice(0, text.size() - affix.size()) : text;
}

template <class Check>
value every_byte(const tainted_string& text, const Check& check) {
  return !text.empty() && std::all_of(text.text().begin(), text.text().end(), check);
}

constexpr std::array<std::pair<std::string_view, text_method>, 22> text_methods{{
    {"strip", strip_method<side::both>},
    {"lstrip", strip_method<side::left>},
    {"rstrip", strip_method<side::right>},
    {"split", split_method},
    {"rsplit", rsplit_method},
    {"startswith", startswith_method},
    {"endswith", endswith_method},
    {"replace", replace_method},
    {"find", find_method},
    {"count", count_method},
    {"join", join_method},
    {"removeprefix", removeprefix_method},
    {"removesuffix", removesuffix_method},
    {"splitlines",
     [](const tainted_string& t, const arguments&) { return value::from_list(split_lines(t)); }},
    {"upper", [](const tainted_string& t, const arguments&) { return value{upper(t)}; }},
    {"lower", [](const tainted_string& t, const arguments&) { return value{lower(t)}; }},
    {"capitalize", [](const tainted_string& t, const arguments&) { return value{capitalize(t)}; }},
    {"title", [](const tainted_string& t, const arguments&) { return value{title(t)}; }},
    {"isdigit", [](const tainted_string& t,
                   const arguments&) { return every_byte(t, [](char c) { return c >= '0' && c <= '9'; }); }},
    {"isspace",
     [](const tainted_string& t, const arguments&) {
       return every_byte(t, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
     }},
    {"isupper",
     [](const tainted_string& t, const arguments&) {
       return value{!t.empty() && upper(t).text() == t.text() && lower(t).text() != t.text()};
     }},
    {"islower",
     [](const tainted_string& t, const arguments&) {
       return value{!t.empty() && lower(t).text() == t.text() && upper(t).text() != t.text()};
     }},
}};

value dictionary_items(const dictionary& members) {
  list out;
  for (const auto& [key, item] : members.entries) out.push_back(value::from_list({value{key}, item}, true));
  return value::from_list(std::move(out));
}

value dictionary_method(const value& x, const std::string& name) {
  if (name == "items")
    return native_function{[x](const arguments&) { return dictionary_items(*x.as_dictionary()); }};
  if (name == "keys") return native_function{[x](const arguments&) { return value::from_list(iterate(x)); }};
  if (name == "values")
    return native_function{[x](const arguments&) {
      list out;
      for (const auto& [key, item] : x.as_dictionary()->entries) out.push_back(item);
      return value::from_list(std::move(out));
    }};
  if (name == "get")
    return native_function{[x](const arguments& given) {
      const auto key = argument(given, 0, "key");
      const auto* found = key.as_string() ? x.as_dictionary()->find(key.as_string()->text()) : nullptr;
      return found != nullptr ? *found : argument(given, 1, "default", nullptr);
    }};
  if (name == "update")
    return native_function{[x](const arguments& given) -> value {
      if (const auto* other = argument(given, 0, "").as_dictionary())
        for (const auto& [key, item] : dictionary{*other}.entries) x.as_dictionary()->set(key, item);
      for (const auto& [key, item] : given.named) x.as_dictionary()->set({key, origin::model}, item);
      return nullptr;
    }};
  return {};
}

value pop_item(list_box& box, const arguments& given) {
  const auto count = static_cast<std::int64_t>(box.items.size());
  auto at = optional_integer(given, 0, "", -1);
  if (at < 0) at += count;
  if (at < 0 || at >= count) raise("pop from a list that has no such item");
  auto out = box.items[static_cast<std::size_t>(at)];
  box.items.erase(box.items.begin() + static_cast<std::ptrdiff_t>(at));
  return out;
}

value list_method(const value& x, const std::string& name) {
  if (name == "append")
    return native_function{[x](const arguments& given) -> value {
      if (x.as_list()->items.size() > 100'000) raise("a list that is too long");
      x.as_list()->items.push_back(argument(given, 0, "object"));
      return nullptr;
    }};
  if (name == "extend")
    return native_function{[x](const arguments& given) -> value {
      for (auto& item : iterate(argument(given, 0, "iterable")))
        x.as_list()->items.push_back(std::move(item));
      if (x.as_list()->items.size() > 100'000) raise("a list that is too long");
      return nullptr;
    }};
  if (name == "pop")
    return native_function{[x](const arguments& given) { return pop_item(*x.as_list(), given); }};
  if (name == "index")
    return native_function{[x](const arguments& given) -> value {
      const auto wanted = argument(given, 0, "value");
      const auto& items = x.as_list()->items;
      for (std::size_t i = 0; i < items.size(); ++i)
        if (equal(items[i], wanted)) return static_cast<std::int64_t>(i);
      raise("index of an item that is not in the list");
    }};
  return {};
}

}  // namespace

value bound_method(const value& x, const std::string& name) {
  if (x.as_dictionary() != nullptr) return dictionary_method(x, name);
  if (x.as_list() != nullptr) return list_method(x, name);
  if (x.as_string() == nullptr) return {};
  for (const auto& [candidate, method] : text_methods)
    if (candidate == name)
      return native_function{
          [text = *x.as_string(), call = method](const arguments& given) { return call(text, given); }};
  return {};
}

}  // namespace neap::text::jinja
