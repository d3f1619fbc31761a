#pragma once
// Access to the parts of values.

#include "engine/text/template/value.hpp"

#include <vector>

namespace neap::text::jinja {

// Items of anything that can be looped over: lists, strings by character, dictionaries by key. Undefined has
// none.
std::vector<value> iterate(const value& x);

// Python's `in`.
bool contains(const value& container, const value& item);

// x.name and x[name] without methods: undefined if there is no such member.
value member(const value& x, const value& key);

// The member that filters mean by attribute=: a path such as "a.b.0", or a single key of another type.
value attribute_of(const value& x, const value& attribute);

// The item of a list, from the end for negative ones; null if there is none.
template <class Item>
const Item* item_at(const std::vector<Item>& items, std::int64_t index) {
  const auto count = static_cast<std::int64_t>(items.size());
  if (index < 0) index += count;
  return index >= 0 && index < count ? &items[static_cast<std::size_t>(index)] : nullptr;
}

}  // namespace neap::text::jinja
