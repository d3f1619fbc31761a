#include "server/api/field_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace neap::api {
namespace {

std::string short_number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.10g", value);
  return buffer.data();
}

}  // namespace

std::optional<std::int64_t> as_integer(const json_value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  const auto* number = std::get_if<double>(&value.data);
  // 2^63 as a double; every integral double below it fits.
  constexpr double limit = 9223372036854775808.0;
  if (number == nullptr || std::trunc(*number) != *number || std::abs(*number) >= limit) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> as_number(const json_value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return std::nullopt;
}

field_reader::field_reader(const json_value& object, std::string prefix)
    : object_(object), prefix_(std::move(prefix)) {}

const json_value* field_reader::any(std::string_view name) {
  known_.push_back(name);
  const auto* member = object_.find(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

std::optional<bool> field_reader::boolean(std::string_view name) {
  const auto* member = any(name);
  if (member == nullptr) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(&member->data)) return *flag;
  fail(name, "must be true or false");
  return std::nullopt;
}

std::optional<double> field_reader::number(std::string_view name, double low, double high) {
  const auto* member = any(name);
  if (member == nullptr) return std::nullopt;
  const auto number = as_number(*member);
  if (number && *number >= low && *number <= high) return number;
  fail(name, "must be a number from " + short_number(low) + " to " + short_number(high));
  return std::nullopt;
}

std::optional<std::int64_t> field_reader::integer(std::string_view name, std::int64_t low,
                                                  std::int64_t high) {
  const auto* member = any(name);
  if (member == nullptr) return std::nullopt;
  const auto number = as_integer(*member);
  if (number && *number >= low && *number <= high) return number;
  if (high == int64_max) {
    fail(name, "must be an integer of at least " + std::to_string(low));
  } else {
    fail(name, "must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return std::nullopt;
}

const std::string* field_reader::string(std::string_view name) {
  const auto* member = any(name);
  if (member == nullptr) return nullptr;
  if (member->string() == nullptr) fail(name, "must be a string");
  return member->string();
}

const json_array* field_reader::array(std::string_view name) {
  const auto* member = any(name);
  if (member == nullptr) return nullptr;
  if (member->array() == nullptr) fail(name, "must be an array");
  return member->array();
}

const json_value* field_reader::object(std::string_view name) {
  const auto* member = any(name);
  if (member == nullptr) return nullptr;
  if (member->object() == nullptr) {
    fail(name, "must be an object");
    return nullptr;
  }
  return member;
}

void field_reader::fail(std::string_view name, std::string_view what, error_code code) {
  const std::string full = prefix_ + std::string(name);
  fail(error{code, full + " " + std::string(what), full});
}

void field_reader::fail(error fault) {
  if (!fault_) fault_ = std::move(fault);
}

std::vector<std::string> field_reader::unknown() const {
  std::vector<std::string> names;
  for (const auto& member : *object_.object()) {
    if (std::find(known_.begin(), known_.end(), member.first) == known_.end()) {
      names.push_back(prefix_ + member.first);
    }
  }
  return names;
}

}  // namespace neap::api
