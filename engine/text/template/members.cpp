#include "engine/text/template/members.hpp"

#include "engine/text/template/characters.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>
#include <memory>

namespace neap::text::jinja {

std::vector<value> iterate(const value& x) {
  if (const auto* items = x.as_list()) {
    spend_work(items->items.size() / 8);
    return items->items;
  }
  std::vector<value> out;
  if (const auto* text = x.as_string()) {
    for (auto& character : characters(*text)) out.emplace_back(std::move(character));
  } else if (const auto* members = x.as_dictionary()) {
    for (const auto& [key, item] : members->entries) out.emplace_back(key);
  } else if (!x.is_undefined()) {
    raise("a value of type " + x.type_name() + " cannot be looped over");
  }
  return out;
}

bool contains(const value& container, const value& item) {
  if (const auto* text = container.as_string()) {
    if (item.as_string() == nullptr) raise("'in <string>' needs a string on its left");
    return text->text().find(item.as_string()->text()) != std::string::npos;
  }
  if (const auto* members = container.as_dictionary())
    return item.as_string() != nullptr && members->find(item.as_string()->text()) != nullptr;
  if (const auto* box = container.as_list())
    return std::any_of(box->items.begin(), box->items.end(),
                       [&](const value& each) { return equal(each, item); });
  const auto items = iterate(container);
  return std::any_of(items.begin(), items.end(), [&](const value& each) { return equal(each, item); });
}

value member(const value& x, const value& key) {
  const auto* name = key.as_string();
  const auto* members = x.as_dictionary() != nullptr ? x.as_dictionary() : x.as_namespace();
  if (members != nullptr && name != nullptr) {
    const auto* found = members->find(name->text());
    return found != nullptr ? *found : value{undefined{name->text()}};
  }
  if (x.as_list() != nullptr && x.as_list()->group && name != nullptr) {
    if (name->text() == "grouper") return x.as_list()->items[0];
    if (name->text() == "list") return x.as_list()->items[1];
  }
  const auto index = key.integer();
  if (x.as_list() != nullptr && index) {
    const auto* found = item_at(x.as_list()->items, *index);
    return found != nullptr ? *found : value{undefined{"list item"}};
  }
  if (x.as_string() != nullptr && index) {
    const auto begins = character_offsets(*x.as_string());
    const auto* found = item_at(begins, *index);
    return found != nullptr ? value{character_at(*x.as_string(), *found)} : value{undefined{"string item"}};
  }
  return undefined{name != nullptr ? name->text() : "item"};
}

namespace {

value attribute_of(const value& x, const tainted_string& path) {
  value out = x;
  for (const auto& step : split(path, std::make_unique<tainted_string>(".", origin::model).get(), -1)) {
    const auto& name = step.as_string()->text();
    const bool index =
        !name.empty() && name.size() < 9 && name.find_first_not_of("0123456789") == std::string::npos;
    out = index ? member(out, std::int64_t{std::stoi(name)}) : member(out, step);
  }
  return out;
}

}  // namespace

value attribute_of(const value& x, const value& attribute) {
  return attribute.as_string() != nullptr ? attribute_of(x, *attribute.as_string()) : member(x, attribute);
}

}  // namespace neap::text::jinja
