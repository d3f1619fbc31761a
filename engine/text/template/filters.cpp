#include "engine/text/template/filters.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/characters.hpp"
#include "engine/text/template/collection_filters.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/operations.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace neap::text::jinja {
namespace {

using filter = value(interpreter&, const value&, const arguments&);

// Filters that work on text take anything that prints.
template <tainted_string (*Change)(const tainted_string&)>
value text_filter(interpreter&, const value& x, const arguments&) {
  return Change(to_text(x));
}

value trim_filter(interpreter&, const value& x, const arguments& given) {
  const auto characters = argument(given, 0, "chars");
  return strip(to_text(x), side::both, characters.as_string());
}

value replace_filter(interpreter&, const value& x, const arguments& given) {
  return replace(to_text(x), to_text(argument(given, 0, "old")), to_text(argument(given, 1, "new")),
                 argument(given, 2, "count", std::int64_t{-1}).integer().value_or(-1));
}

value length_filter(interpreter&, const value& x, const arguments&) {
  if (const auto* members = x.as_dictionary()) return static_cast<std::int64_t>(members->entries.size());
  if (const auto* items = x.as_list()) return static_cast<std::int64_t>(items->items.size());
  if (const auto* text = x.as_string()) return static_cast<std::int64_t>(count_characters(*text));
  return static_cast<std::int64_t>(iterate(x).size());
}

value join_filter(interpreter&, const value& x, const arguments& given) {
  auto items = iterate(x);
  const auto attribute = argument(given, 1, "attribute");
  if (!attribute.is_undefined())
    for (auto& item : items) item = attribute_of(item, attribute);
  return join(items, to_text(argument(given, 0, "d", value::text("", origin::model))));
}

value first_filter(interpreter&, const value& x, const arguments&) {
  const auto items = iterate(x);
  return items.empty() ? value{undefined{"first item"}} : items.front();
}

value last_filter(interpreter&, const value& x, const arguments&) {
  const auto items = iterate(x);
  return items.empty() ? value{undefined{"last item"}} : items.back();
}

value tojson_filter(interpreter&, const value& x, const arguments& given) {
  json_style style;
  style.indent = argument(given, 1, "indent").integer();
  if (style.indent && *style.indent > 64) raise("tojson with an indent over 64");
  if (style.indent) style.item_separator = {",", origin::model};
  style.ascii = argument(given, 0, "ensure_ascii", false).truthy();
  style.sort_keys = argument(given, 3, "sort_keys", false).truthy();
  if (const auto separators = argument(given, 2, "separators");
      separators.as_list() && separators.as_list()->items.size() == 2) {
    style.item_separator = to_text(separators.as_list()->items[0]);
    style.key_separator = to_text(separators.as_list()->items[1]);
  }
  return to_json(x, style);
}

value default_filter(interpreter&, const value& x, const arguments& given) {
  const bool also_false = argument(given, 1, "boolean", false).truthy();
  if (x.is_undefined() || (also_false && !x.truthy()))
    return argument(given, 0, "default_value", value::text("", origin::model));
  return x;
}

value list_filter(interpreter&, const value& x, const arguments&) { return value::from_list(iterate(x)); }

value string_filter(interpreter&, const value& x, const arguments&) { return to_text(x); }

value int_filter(interpreter&, const value& x, const arguments& given) {
  const auto fallback = argument(given, 0, "default", std::int64_t{0});
  if (const auto* real = x.as_float())
    return std::fabs(*real) < 9e18 ? value{static_cast<std::int64_t>(*real)} : fallback;
  if (const auto whole = x.integer()) return *whole;
  if (x.as_string() == nullptr) return fallback;
  const auto text = strip(*x.as_string(), side::both, nullptr).text();
  std::int64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code == std::errc{} && end == text.data() + text.size()) return out;
  double real = 0;
  const auto [real_end, real_code] = std::from_chars(text.data(), text.data() + text.size(), real);
  const bool is_real =
      real_code == std::errc{} && real_end == text.data() + text.size() && std::fabs(real) < 9e18;
  return is_real ? value{static_cast<std::int64_t>(real)} : fallback;
}

value float_filter(interpreter&, const value& x, const arguments& given) {
  if (const auto number = x.number()) return *number;
  const auto fallback = argument(given, 0, "default", 0.0);
  if (x.as_string() == nullptr) return fallback;
  const auto text = strip(*x.as_string(), side::both, nullptr).text();
  double out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc{} && end == text.data() + text.size() ? value{out} : fallback;
}

value abs_filter(interpreter&, const value& x, const arguments&) {
  if (const auto* real = x.as_float()) return std::fabs(*real);
  if (const auto whole = x.integer())
    return *whole < 0 ? binary_operation("-", std::int64_t{0}, *whole) : value{*whole};
  raise("abs needs a number");
}

// Python's round(): by the exact decimal digits, ties to even.
double round_digits(double x, std::int64_t precision) {
  if (precision < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-precision));
    return std::nearbyint(x / scale) * scale;
  }
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(std::min<std::int64_t>(precision, 60)), x);
  return std::strtod(buffer, nullptr);
}

value round_filter(interpreter&, const value& x, const arguments& given) {
  const auto number = x.number();
  if (!number) raise("round needs a number");
  const auto precision = argument(given, 0, "precision", std::int64_t{0}).integer().value_or(0);
  const auto method = argument(given, 1, "method");
  const std::string name = method.as_string() != nullptr ? method.as_string()->text() : "common";
  if (name == "common" && x.integer() && precision >= 0) return *x.integer();
  if (name == "common") return round_digits(*number, precision);
  const double scale = std::pow(10.0, static_cast<double>(precision));
  return (name == "ceil" ? std::ceil(*number * scale) : std::floor(*number * scale)) / scale;
}

value indent_filter(interpreter&, const value& x, const arguments& given) {
  const auto width = argument(given, 0, "width", std::int64_t{4});
  const auto count = width.integer().value_or(0);
  if (count < 0 || count > 256) raise("indent with a width over 256");
  const auto by = width.as_string() != nullptr
                      ? *width.as_string()
                      : tainted_string{std::string(static_cast<std::size_t>(count), ' '), origin::model};
  return indent(to_text(x), by, argument(given, 1, "first", false).truthy(),
                argument(given, 2, "blank", false).truthy());
}

value format_filter(interpreter&, const value& x, const arguments& given) {
  return binary_operation("%", value{to_text(x)}, value::from_list(given.positional, true));
}

constexpr std::array<std::pair<std::string_view, filter*>, 45> filters{{
    {"trim", trim_filter},
    {"upper", text_filter<upper>},
    {"lower", text_filter<lower>},
    {"capitalize", text_filter<capitalize>},
    {"title", text_filter<title_words>},
    {"escape", text_filter<escape_html>},
    {"e", text_filter<escape_html>},
    {"replace", replace_filter},
    {"length", length_filter},
    {"count", length_filter},
    {"join", join_filter},
    {"first", first_filter},
    {"last", last_filter},
    {"tojson", tojson_filter},
    {"default", default_filter},
    {"d", default_filter},
    {"list", list_filter},
    {"string", string_filter},
    {"safe", string_filter},
    {"int", int_filter},
    {"float", float_filter},
    {"abs", abs_filter},
    {"round", round_filter},
    {"sort", sort_filter},
    {"dictsort", dictsort_filter},
    {"items", items_filter},
    {"reverse", reverse_filter},
    {"unique", unique_filter},
    {"map", map_filter},
    {"select", select_filter},
    {"reject", reject_filter},
    {"selectattr", selectattr_filter},
    {"rejectattr", rejectattr_filter},
    {"min", min_filter},
    {"max", max_filter},
    {"sum", sum_filter},
    {"groupby", groupby_filter},
    {"batch", batch_filter},
    {"slice", slice_filter},
    {"indent", indent_filter},
    {"format", format_filter},
    {"attr", [](interpreter&, const value& x,
                const arguments& given) { return member(x, argument(given, 0, "name")); }},
    {"strip", trim_filter},
    {"forceescape", text_filter<escape_html>},
    {"pprint", [](interpreter&, const value& x, const arguments&) { return value{to_repr(x)}; }},
}};

}  // namespace

filter_function find_filter(std::string_view name) {
  for (const auto& [candidate, function] : filters)
    if (candidate == name) return function;
  return nullptr;
}

}  // namespace neap::text::jinja
