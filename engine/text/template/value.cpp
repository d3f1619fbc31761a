#include "engine/text/template/value.hpp"

#include <algorithm>
#include <cmath>

namespace neap::text::jinja {

struct function_box {
  native_function call;
  int depth = 0;
};

namespace {

constexpr int max_value_depth = 64;
thread_local std::size_t work_left = 0;

void check_depth(int depth) {
  if (depth > max_value_depth) raise("a value is nested too deeply");
}

}  // namespace

void begin_work(std::size_t steps) noexcept { work_left = steps; }

void spend_work(std::size_t steps) {
  if (steps > work_left) {
    work_left = 0;
    raise("the template runs too long");
  }
  work_left -= steps;
}

void raise_too_long() { raise("a text is too long"); }

value::value(native_function x, int depth)
    : data_(std::make_shared<const function_box>(function_box{std::move(x), depth})) {
  check_depth(depth);
}

const native_function* value::as_function() const noexcept {
  if (const auto* members = as_dictionary()) return members->call.get();
  const auto* box = std::get_if<std::shared_ptr<const function_box>>(&data_);
  return box ? &(*box)->call : nullptr;
}

value value::from_list(list items, bool tuple) {
  spend_work(items.size() / 4);
  int depth = 1;
  for (const auto& item : items) depth = std::max(depth, item.depth() + 1);
  check_depth(depth);
  return value{std::make_shared<list_box>(list_box{std::move(items), tuple, false, depth})};
}

value value::group(value grouper, list items) {
  auto pair = from_list({std::move(grouper), from_list(std::move(items))}, true);
  pair.as_list()->group = true;
  return pair;
}

int value::depth() const noexcept {
  if (const auto* items = as_list()) return items->depth;
  if (const auto* members = as_dictionary()) return members->depth;
  if (const auto* box = std::get_if<std::shared_ptr<const function_box>>(&data_)) return (*box)->depth;
  return 0;
}

const value* dictionary::find(std::string_view key) const {
  for (const auto& [name, item] : entries)
    if (name.text() == key) return &item;
  return nullptr;
}

void dictionary::set(const tainted_string& key, value item) {
  depth = std::max(depth, item.depth() + 1);
  check_depth(depth);
  spend_work(1 + entries.size() / 8);
  for (auto& [name, old] : entries) {
    if (name.text() != key.text()) continue;
    old = std::move(item);
    return;
  }
  entries.emplace_back(key, std::move(item));
}

bool value::truthy() const {
  if (const auto* x = as_bool()) return *x;
  if (const auto* x = as_int()) return *x != 0;
  if (const auto* x = as_float()) return *x != 0;
  if (const auto* x = as_string()) return !x->empty();
  if (const auto* x = as_list()) return !x->items.empty();
  if (const auto* x = as_dictionary()) return !x->entries.empty();
  return !is_undefined() && !is_none();
}

std::optional<std::int64_t> value::integer() const {
  if (const auto* x = as_bool()) return *x ? 1 : 0;
  if (const auto* x = as_int()) return *x;
  return std::nullopt;
}

std::optional<double> value::number() const {
  if (const auto* x = as_float()) return *x;
  if (const auto x = integer()) return static_cast<double>(*x);
  return std::nullopt;
}

std::string value::type_name() const {
  static constexpr const char* names[] = {"undefined", "NoneType", "bool", "int",       "float",
                                          "str",       "list",     "dict", "namespace", "function"};
  const auto* items = as_list();
  return items != nullptr && items->tuple ? "tuple" : names[data_.index()];
}

namespace {

bool equal_entries(const dictionary& a, const dictionary& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, item] : a.entries) {
    const auto* other = b.find(key.text());
    if (other == nullptr || !equal(item, *other)) return false;
  }
  return true;
}

bool equal_items(const list_box& a, const list_box& b) {
  if (a.tuple != b.tuple || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!equal(a.items[i], b.items[i])) return false;
  return true;
}

}  // namespace

bool equal(const value& a, const value& b) {
  spend_work(1);
  if (const auto x = a.integer(), y = b.integer(); x && y) return *x == *y;
  if (const auto x = a.number(), y = b.number(); x && y) return *x == *y;
  if (a.as_string() && b.as_string()) return a.as_string()->text() == b.as_string()->text();
  if (a.as_list() && b.as_list()) return equal_items(*a.as_list(), *b.as_list());
  if (a.as_dictionary() && b.as_dictionary()) return equal_entries(*a.as_dictionary(), *b.as_dictionary());
  if (a.as_namespace() || b.as_namespace()) return a.as_namespace() == b.as_namespace();
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

bool less(const value& a, const value& b) {
  if (const auto x = a.integer(), y = b.integer(); x && y) return *x < *y;
  if (const auto x = a.number(), y = b.number(); x && y) return *x < *y;
  if (a.as_string() && b.as_string()) return a.as_string()->text() < b.as_string()->text();
  if (a.as_list() && b.as_list()) {
    const auto &x = a.as_list()->items, &y = b.as_list()->items;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i)
      if (!equal(x[i], y[i])) return less(x[i], y[i]);
    return x.size() < y.size();
  }
  raise("'<' is not possible between " + a.type_name() + " and " + b.type_name());
}

value from_json(const json_value& json) {
  struct visitor {
    value operator()(std::nullptr_t) const { return nullptr; }
    value operator()(bool x) const { return x; }
    value operator()(std::int64_t x) const { return x; }
    value operator()(double x) const { return x; }
    value operator()(const std::string& x) const { return value::text(x, origin::input); }
    value operator()(const json_array& x) const {
      list items;
      for (const auto& item : x) items.push_back(from_json(item));
      return value::from_list(std::move(items));
    }
    value operator()(const json_object& x) const {
      auto members = std::make_shared<dictionary>();
      for (const auto& [key, item] : x) members->set(tainted_string{key, origin::input}, from_json(item));
      return value{std::move(members)};
    }
  };
  return std::visit(visitor{}, json.data);
}

void raise(std::string message) { throw template_error{std::move(message), 0}; }

}  // namespace neap::text::jinja
