#pragma once
// A JSON document as plain values: what the HTTP edge hands to the chat template (messages, tools). Only std.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace neap {

struct json_value;
using json_array = std::vector<json_value>;
using json_member = std::pair<std::string, json_value>;
// Members in the order of the document: templates print objects in that order.
using json_object = std::vector<json_member>;

struct json_value {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, json_array, json_object> data =
      nullptr;

  bool is_null() const noexcept { return data.index() == 0; }
  const std::string* string() const noexcept { return std::get_if<std::string>(&data); }
  const json_array* array() const noexcept { return std::get_if<json_array>(&data); }
  const json_object* object() const noexcept { return std::get_if<json_object>(&data); }

  // Member of an object, or null if this is no object or has no such member. Cost: linear in members.
  const json_value* find(std::string_view name) const noexcept;
};

inline const json_value* json_value::find(std::string_view name) const noexcept {
  if (const auto* members = object())
    for (const auto& [key, value] : *members)
      if (key == name) return &value;
  return nullptr;
}

}  // namespace neap
