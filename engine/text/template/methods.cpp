// Methods of dictionaries and lists: those that change nothing. (The environment that published templates are
// written for refuses the others.)

#include "engine/text/template/methods.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>

namespace neap::text::jinja {
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
  return {};
}

value list_method(const value& x, const std::string& name) {
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
  if (const auto* text = x.as_string()) return text_method_of(*text, name);
  const auto method = x.as_dictionary() != nullptr ? dictionary_method(x, name)
                      : x.as_list() != nullptr     ? list_method(x, name)
                                                   : value{};
  return method.is_undefined() ? method : value{*method.as_function(), x.depth() + 1};
}

}  // namespace neap::text::jinja
