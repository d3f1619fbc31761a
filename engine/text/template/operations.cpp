// Operators between values.

#include "engine/text/template/operations.hpp"

#include "engine/text/template/text_formatting.hpp"

#include <cmath>

namespace neap::text::jinja {
namespace {

constexpr std::size_t max_repeat_bytes = 1U << 20;
constexpr std::size_t max_list_items = 100'000;

[[noreturn]] void raise_types(const std::string& name, const value& left, const value& right) {
  raise("operator " + name + " is not possible between " + left.type_name() + " and " + right.type_name());
}

tainted_string joined(const tainted_string& left, const tainted_string& right) {
  tainted_string out = left;
  out.append(right);
  return out;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) raise("division by zero");
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

value integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(out, base, &out) || i > 64) raise("a number that is too large");
  return out;
}

value integers(const std::string& name, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflow = false;
  if (name == "+") overflow = __builtin_add_overflow(a, b, &out);
  if (name == "-") overflow = __builtin_sub_overflow(a, b, &out);
  if (name == "*") overflow = __builtin_mul_overflow(a, b, &out);
  if (overflow) raise("a number that is too large");
  if (name == "//") return floor_divide(a, b);
  if (name == "%")
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                     static_cast<std::uint64_t>(floor_divide(a, b)) *
                                         static_cast<std::uint64_t>(b));
  if (name == "**") return integer_power(a, b);
  if (name == "/") {
    if (b == 0) raise("division by zero");
    return static_cast<double>(a) / static_cast<double>(b);
  }
  return out;
}

value floats(const std::string& name, double a, double b) {
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if (name == "**") return std::pow(a, b);
  if (b == 0) raise("division by zero");
  if (name == "/") return a / b;
  const double whole = std::floor(a / b);
  return name == "//" ? whole : a - whole * b;
}

value repeated(const tainted_string& text, std::int64_t count) {
  tainted_string out;
  if (text.empty() || count <= 0) return out;
  if (static_cast<std::uint64_t>(count) > max_repeat_bytes / text.size()) raise("a text that is too long");
  for (std::int64_t i = 0; i < count; ++i) out.append(text);
  return out;
}

value repeated(const list_box& items, std::int64_t count) {
  list out;
  for (std::int64_t i = 0; i < count && !items.items.empty(); ++i) {
    if (out.size() + items.items.size() > max_list_items) raise("a list that is too long");
    out.insert(out.end(), items.items.begin(), items.items.end());
  }
  return value::from_list(std::move(out), items.tuple);
}

}  // namespace

value binary_operation(const std::string& name, const value& left, const value& right) {
  if (name == "~") return joined(to_text(left), to_text(right));
  if (const auto* x = left.as_undefined()) raise("'" + x->name + "' is undefined");
  if (const auto* x = right.as_undefined()) raise("'" + x->name + "' is undefined");
  const auto *a = left.as_string(), *b = right.as_string();
  if (name == "+" && a != nullptr && b != nullptr) return joined(*a, *b);
  if (name == "%" && a != nullptr) return format_percent(*a, right);
  const auto left_integer = left.integer(), right_integer = right.integer();
  if (name == "*" && a != nullptr && right_integer) return repeated(*a, *right_integer);
  if (name == "*" && b != nullptr && left_integer) return repeated(*b, *left_integer);
  if (name == "+" && left.as_list() != nullptr && right.as_list() != nullptr) {
    if (left.as_list()->items.size() + right.as_list()->items.size() > max_list_items)
      raise("a list that is too long");
    auto items = left.as_list()->items;
    items.insert(items.end(), right.as_list()->items.begin(), right.as_list()->items.end());
    return value::from_list(std::move(items), left.as_list()->tuple);
  }
  if (name == "*" && left.as_list() != nullptr && right_integer)
    return repeated(*left.as_list(), *right_integer);
  if (name == "*" && right.as_list() != nullptr && left_integer)
    return repeated(*right.as_list(), *left_integer);
  if (left_integer && right_integer) return integers(name, *left_integer, *right_integer);
  const auto left_number = left.number(), right_number = right.number();
  if (left_number && right_number) return floats(name, *left_number, *right_number);
  raise_types(name, left, right);
}

}  // namespace neap::text::jinja
