// Methods of dictionaries and lists.

#include "engine/text/template/interpreter.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>

namespace neap::text::jinja {

std::int64_t optional_integer(const arguments& given, std::size_t position, std::string_view name,
                              std::int64_t fallback) {
  return argument(given, position, name, fallback).integer().value_or(fallback);
}

namespace {

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
  if (name == "copy")
    return native_function{
        [x](const arguments&) { return value{std::make_shared<dictionary>(*x.as_dictionary())}; }};
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
  if (name == "count")
    return native_function{[x](const arguments& given) -> value {
      const auto& items = x.as_list()->items;
      return static_cast<std::int64_t>(std::count_if(items.begin(), items.end(), [&](const value& item) {
        return equal(item, argument(given, 0, "value"));
      }));
    }};
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
  return text_method_of(*x.as_string(), name);
}

}  // namespace neap::text::jinja
