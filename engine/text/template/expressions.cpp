#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/characters.hpp"
#include "engine/text/template/filters.hpp"
#include "engine/text/template/interpreter.hpp"
#include "engine/text/template/members.hpp"
#include "engine/text/template/methods.hpp"
#include "engine/text/template/operations.hpp"
#include "engine/text/template/tests.hpp"
#include "engine/text/template/text_operations.hpp"

#include <algorithm>

namespace neap::text::jinja {
namespace {

[[noreturn]] void raise_undefined(const undefined& x) { raise("'" + x.name + "' is undefined"); }

template <class Item>
std::vector<Item> slice_items(const std::vector<Item>& items, const value& begin, const value& end,
                              const value& step) {
  const auto count = static_cast<std::int64_t>(items.size());
  const auto by = step.is_none() ? 1 : step.integer().value_or(0);
  if (by == 0) raise("a slice's step must be an integer other than 0");
  const auto clamp = [count, by](const value& bound, std::int64_t fallback) {
    if (bound.is_none()) return fallback;
    if (!bound.integer()) raise("a slice's bounds must be integers");
    const auto at = *bound.integer() < 0 ? std::max<std::int64_t>(*bound.integer(), -count - 1) + count
                                         : *bound.integer();
    return by > 0 ? std::clamp<std::int64_t>(at, 0, count) : std::clamp<std::int64_t>(at, -1, count - 1);
  };
  const auto first = clamp(begin, by > 0 ? 0 : count - 1);
  const auto last = clamp(end, by > 0 ? count : -1);
  std::vector<Item> out;
  if (by > 0) {
    for (auto i = first; i < last; i += std::min(by, count + 1))
      out.push_back(items[static_cast<std::size_t>(i)]);
  } else {
    for (auto i = first; i > last; i += std::max(by, -count - 1))
      out.push_back(items[static_cast<std::size_t>(i)]);
  }
  return out;
}

bool compare(const std::string& name, const value& a, const value& b) {
  if (name == "==") return equal(a, b);
  if (name == "!=") return !equal(a, b);
  if (name == "in") return contains(b, a);
  if (name == "not in") return !contains(b, a);
  if (name == "<") return less(a, b);
  if (name == ">") return less(b, a);
  if (name == "<=") return less(a, b) || equal(a, b);
  return less(b, a) || equal(a, b);
}

}  // namespace

value interpreter::evaluate(const expression& node) {
  spend_work(1);
  if (++depth_ > 4 * limits_.depth) {
    --depth_;
    raise("an expression nests too deeply");
  }
  auto out = evaluate_at(node);
  --depth_;
  // Text is copied on the way, so its size is work.
  if (const auto* text = out.as_string()) spend_work(text->size() / 64);
  return out;
}

value interpreter::evaluate_at(const expression& node) {
  switch (node.kind) {
    case expression_kind::literal:
      return node.constant;
    case expression_kind::name:
      return look_up(node.text);
    case expression_kind::sequence:
      return evaluate_list(node, false);
    case expression_kind::tuple:
      return evaluate_list(node, true);
    case expression_kind::dictionary:
      return evaluate_dictionary(node);
    case expression_kind::unary:
      return evaluate_unary(node);
    case expression_kind::binary:
      return evaluate_binary(node);
    case expression_kind::comparison:
      return evaluate_comparison(node);
    case expression_kind::conditional:
      return evaluate_conditional(node);
    case expression_kind::attribute:
    case expression_kind::subscript:
      return evaluate_subscript(node);
    case expression_kind::slice:
      return evaluate_slice(node);
    case expression_kind::call:
      return evaluate_call(node);
    case expression_kind::filter:
      return evaluate_filter(node);
    case expression_kind::test:
      return evaluate_test(node);
  }
  return {};
}

value interpreter::evaluate_list(const expression& node, bool tuple) {
  list items;
  for (const auto& item : node.items) items.push_back(evaluate(*item));
  return value::from_list(std::move(items), tuple);
}

value interpreter::evaluate_dictionary(const expression& node) {
  auto members = std::make_shared<dictionary>();
  for (std::size_t i = 0; i + 1 < node.items.size(); i += 2)
    members->set(need_text(evaluate(*node.items[i]), "a dictionary's key"), evaluate(*node.items[i + 1]));
  return members;
}

value interpreter::evaluate_unary(const expression& node) {
  const auto x = evaluate(*node.items[0]);
  if (node.text == "not") return !x.truthy();
  if (x.as_float()) return node.text == "-" ? -*x.as_float() : *x.as_float();
  if (const auto whole = x.integer())
    return binary_operation(node.text, value{std::int64_t{0}}, value{*whole});
  raise("a sign before a value of type " + x.type_name());
}

value interpreter::evaluate_binary(const expression& node) {
  auto left = evaluate(*node.items[0]);
  if (node.text == "or") return left.truthy() ? left : evaluate(*node.items[1]);
  if (node.text == "and") return left.truthy() ? evaluate(*node.items[1]) : left;
  return binary_operation(node.text, left, evaluate(*node.items[1]));
}

value interpreter::evaluate_comparison(const expression& node) {
  auto left = evaluate(*node.items[0]);
  for (std::size_t i = 0; i < node.named.size(); ++i) {
    auto right = evaluate(*node.items[i + 1]);
    if (!compare(node.named[i].first, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

value interpreter::evaluate_conditional(const expression& node) {
  if (evaluate(*node.items[0]).truthy()) return evaluate(*node.items[1]);
  return node.items[2] == nullptr ? value{undefined{"else"}} : evaluate(*node.items[2]);
}

value interpreter::evaluate_subscript(const expression& node) {
  const auto x = evaluate(*node.items[0]);
  if (const auto* nothing = x.as_undefined()) raise_undefined(*nothing);
  const bool attribute = node.kind == expression_kind::attribute;
  const auto key = attribute ? value::text(node.text, origin::model) : evaluate(*node.items[1]);
  // As in Jinja, x.items is the method even where a key has that name; x['items'] is the key.
  if (attribute) {
    if (auto method = bound_method(x, node.text); !method.is_undefined()) return method;
    if (x.as_list() != nullptr && node.text.find_first_not_of("0123456789") == std::string::npos &&
        node.text.size() < 9)
      return member(x, std::int64_t{std::stoi(node.text)});
  }
  return member(x, key);
}

value interpreter::evaluate_slice(const expression& node) {
  const auto x = evaluate(*node.items[0]);
  if (const auto* nothing = x.as_undefined()) raise_undefined(*nothing);
  const auto bound = [&](std::size_t i) {
    return node.items[i] == nullptr ? value{nullptr} : evaluate(*node.items[i]);
  };
  const auto begin = bound(1), end = bound(2), step = bound(3);
  if (const auto* text = x.as_string()) {
    tainted_string out;
    for (const auto at : slice_items(character_offsets(*text), begin, end, step))
      out.append(character_at(*text, at));
    return out;
  }
  if (const auto* items = x.as_list())
    return value::from_list(slice_items(items->items, begin, end, step), items->tuple);
  if (x.as_dictionary() != nullptr) raise("a dictionary cannot be sliced");
  return undefined{"slice"};
}

arguments interpreter::evaluate_arguments(const expression& node, std::size_t first) {
  arguments out;
  for (std::size_t i = first; i < node.items.size(); ++i) out.positional.push_back(evaluate(*node.items[i]));
  for (const auto& [name, item] : node.named) out.named.emplace_back(name, evaluate(*item));
  return out;
}

value interpreter::evaluate_call(const expression& node, const native_function* caller) {
  const auto callee = evaluate(*node.items[0]);
  auto given = evaluate_arguments(node, 1);
  if (caller != nullptr) given.named.emplace_back("caller", *caller);
  if (const auto* nothing = callee.as_undefined()) raise_undefined(*nothing);
  if (callee.as_function() == nullptr) raise("a value of type " + callee.type_name() + " cannot be called");
  return (*callee.as_function())(given);
}

value interpreter::evaluate_filter(const expression& node) {
  const auto filter = find_filter(node.text);
  if (filter == nullptr) raise("filter '" + node.text + "' is not supported");
  const auto x = evaluate(*node.items[0]);
  return filter(*this, x, evaluate_arguments(node, 1));
}

value interpreter::evaluate_test(const expression& node) {
  const auto test = find_test(node.text);
  if (test == nullptr) raise("test '" + node.text + "' is not supported");
  const auto x = evaluate(*node.items[0]);
  return test(x, evaluate_arguments(node, 1));
}

}  // namespace neap::text::jinja
