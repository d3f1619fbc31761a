// The language's tests: `x is defined` and so on.

#include "engine/text/template/tests.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/filters.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/text_operations.hpp"

#include <array>

namespace neap::text::jinja {
namespace {

using test = bool(const value&, const arguments&);

bool is_number(const value& x) {
  return x.as_int() != nullptr || x.as_float() != nullptr || x.as_bool() != nullptr;
}

std::int64_t whole(const value& x) {
  if (!x.integer()) raise("this test needs an integer");
  return *x.integer();
}

bool divisible(const value& x, const arguments& given) {
  const auto by = whole(argument(given, 0, "num"));
  if (by == 0) raise("division by zero");
  return by == -1 || whole(x) % by == 0;
}

value other(const arguments& given) { return argument(given, 0, "other"); }

constexpr std::array<std::pair<std::string_view, test*>, 38> tests{{
    {"defined", [](const value& x, const arguments&) { return !x.is_undefined(); }},
    {"undefined", [](const value& x, const arguments&) { return x.is_undefined(); }},
    {"none", [](const value& x, const arguments&) { return x.is_none(); }},
    {"string", [](const value& x, const arguments&) { return x.as_string() != nullptr; }},
    {"mapping", [](const value& x, const arguments&) { return x.as_dictionary() != nullptr; }},
    {"sequence",
     [](const value& x, const arguments&) {
       return x.as_list() != nullptr || x.as_string() != nullptr || x.as_dictionary() != nullptr ||
              x.is_undefined();
     }},
    {"iterable",
     [](const value& x, const arguments&) {
       return x.as_list() != nullptr || x.as_string() != nullptr || x.as_dictionary() != nullptr ||
              x.is_undefined();
     }},
    {"number", [](const value& x, const arguments&) { return is_number(x); }},
    {"integer", [](const value& x, const arguments&) { return x.as_int() != nullptr; }},
    {"float", [](const value& x, const arguments&) { return x.as_float() != nullptr; }},
    {"boolean", [](const value& x, const arguments&) { return x.as_bool() != nullptr; }},
    {"true", [](const value& x, const arguments&) { return x.as_bool() != nullptr && *x.as_bool(); }},
    {"false", [](const value& x, const arguments&) { return x.as_bool() != nullptr && !*x.as_bool(); }},
    {"callable", [](const value& x, const arguments&) { return x.as_function() != nullptr; }},
    {"odd", [](const value& x, const arguments&) { return whole(x) % 2 != 0; }},
    {"even", [](const value& x, const arguments&) { return whole(x) % 2 == 0; }},
    {"divisibleby", divisible},
    {"lower", [](const value& x, const arguments&) { return is_lower(to_text(x)); }},
    {"upper", [](const value& x, const arguments&) { return is_upper(to_text(x)); }},
    {"in", [](const value& x, const arguments& given) { return contains(argument(given, 0, "seq"), x); }},
    {"equalto", [](const value& x, const arguments& given) { return equal(x, other(given)); }},
    {"eq", [](const value& x, const arguments& given) { return equal(x, other(given)); }},
    {"==", [](const value& x, const arguments& given) { return equal(x, other(given)); }},
    {"ne", [](const value& x, const arguments& given) { return !equal(x, other(given)); }},
    {"!=", [](const value& x, const arguments& given) { return !equal(x, other(given)); }},
    {"lt", [](const value& x, const arguments& given) { return less(x, other(given)); }},
    {"lessthan", [](const value& x, const arguments& given) { return less(x, other(given)); }},
    {"<", [](const value& x, const arguments& given) { return less(x, other(given)); }},
    {"gt", [](const value& x, const arguments& given) { return less(other(given), x); }},
    {"greaterthan", [](const value& x, const arguments& given) { return less(other(given), x); }},
    {">", [](const value& x, const arguments& given) { return less(other(given), x); }},
    {"le", [](const value& x, const arguments& given) { return !less(other(given), x); }},
    {"<=", [](const value& x, const arguments& given) { return !less(other(given), x); }},
    {"ge", [](const value& x, const arguments& given) { return !less(x, other(given)); }},
    {">=", [](const value& x, const arguments& given) { return !less(x, other(given)); }},
    {"sameas",
     [](const value& x, const arguments& given) {
       return x.type_name() == other(given).type_name() && equal(x, other(given));
     }},
    {"filter",
     [](const value& x, const arguments&) {
       return x.as_string() != nullptr && find_filter(x.as_string()->text()) != nullptr;
     }},
    {"test",
     [](const value& x, const arguments&) {
       return x.as_string() != nullptr && find_test(x.as_string()->text()) != nullptr;
     }},
}};

}  // namespace

test_function find_test(std::string_view name) {
  for (const auto& [candidate, function] : tests)
    if (candidate == name) return function;
  return nullptr;
}

}  // namespace neap::text::jinja
