#include "engine/text/template/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace neap::text::jinja {

expression_ptr parser::make(expression_kind kind, std::string text) const {
  auto out = std::make_unique<expression>();
  out->kind = kind;
  out->line = peek().line;
  out->text = std::move(text);
  return out;
}

void parser::deepen(expression& parent, const expression& child) const {
  parent.depth = std::max(parent.depth, child.depth + 1);
  if (parent.depth > max_expression_depth) fail("an expression is too long");
}

void parser::adopt(expression& parent, expression_ptr child) const {
  if (child != nullptr) deepen(parent, *child);
  parent.items.push_back(std::move(child));
}

// One expression, or several with commas: a tuple. `for x in a if b` must not read `a if b` as one
// expression.
expression_ptr parser::parse_tuple(bool conditional) {
  auto first = conditional ? parse_expression() : parse_or();
  if (!is_symbol(",")) return first;
  auto all = make(expression_kind::tuple);
  adopt(*all, std::move(first));
  while (accept_symbol(",")) {
    if (peek().kind == token_kind::close || is_symbol(")")) break;
    adopt(*all, conditional ? parse_expression() : parse_or());
  }
  return all;
}

expression_ptr parser::parse_expression() {
  const nesting guard{*this};
  auto left = parse_or();
  while (accept_name("if")) {
    auto out = make(expression_kind::conditional);
    adopt(*out, parse_or());
    adopt(*out, std::move(left));
    adopt(*out, accept_name("else") ? parse_expression() : nullptr);
    left = std::move(out);
  }
  return left;
}

expression_ptr parser::parse_or() {
  auto left = parse_and();
  while (accept_name("or")) {
    auto out = make(expression_kind::binary, "or");
    adopt(*out, std::move(left));
    adopt(*out, parse_and());
    left = std::move(out);
  }
  return left;
}

expression_ptr parser::parse_and() {
  auto left = parse_not();
  while (accept_name("and")) {
    auto out = make(expression_kind::binary, "and");
    adopt(*out, std::move(left));
    adopt(*out, parse_not());
    left = std::move(out);
  }
  return left;
}

expression_ptr parser::parse_not() {
  if (!is_name("not")) return parse_comparison();
  const nesting guard{*this};
  take();
  auto out = make(expression_kind::unary, "not");
  adopt(*out, parse_not());
  return out;
}

std::string parser::take_comparison() {
  constexpr std::array<std::string_view, 6> symbols{"==", "!=", "<", ">", "<=", ">="};
  for (const auto symbol : symbols)
    if (accept_symbol(symbol)) return std::string{symbol};
  if (accept_name("in")) return "in";
  if (!is_name("not") || !is_name("in", 1)) return "";
  take();
  take();
  return "not in";
}

// a < b < c means a < b and b < c.
expression_ptr parser::parse_comparison() {
  auto left = parse_binary(0);
  auto name = take_comparison();
  if (name.empty()) return left;
  auto chain = make(expression_kind::comparison);
  adopt(*chain, std::move(left));
  for (; !name.empty(); name = take_comparison()) {
    chain->named.emplace_back(std::move(name), nullptr);
    adopt(*chain, parse_binary(0));
  }
  return chain;
}

// Loosest first; all of them, powers too, group from the left, as in Jinja.
expression_ptr parser::parse_binary(std::size_t level) {
  static constexpr std::array<std::array<std::string_view, 4>, 4> operators{
      {{"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}}};
  if (level == operators.size()) return parse_unary(true);
  auto left = parse_binary(level + 1);
  for (;;) {
    std::string_view found;
    for (const auto symbol : operators[level])
      if (!symbol.empty() && is_symbol(symbol)) found = symbol;
    if (found.empty()) return left;
    take();
    auto out = make(expression_kind::binary, std::string{found});
    adopt(*out, std::move(left));
    adopt(*out, parse_binary(level + 1));
    left = std::move(out);
  }
}

// Filters and tests bind looser than a sign, but only once for `--x|f`.
expression_ptr parser::parse_unary(bool with_filters) {
  const nesting guard{*this};
  expression_ptr out;
  if (is_symbol("-") || is_symbol("+")) {
    out = make(expression_kind::unary, take().text);
    adopt(*out, parse_unary(false));
  } else {
    out = parse_primary();
  }
  out = parse_postfix(std::move(out));
  return with_filters ? parse_filters(std::move(out)) : std::move(out);
}

expression_ptr parser::parse_postfix(expression_ptr left) {
  for (;;) {
    if (accept_symbol(".")) {
      auto out =
          make(expression_kind::attribute, peek().kind == token_kind::integer ? take().text : expect_name());
      adopt(*out, std::move(left));
      left = std::move(out);
    } else if (accept_symbol("[")) {
      left = parse_subscript(std::move(left));
    } else if (accept_symbol("(")) {
      auto out = make(expression_kind::call);
      adopt(*out, std::move(left));
      parse_arguments(*out);
      left = std::move(out);
    } else {
      return left;
    }
  }
}

expression_ptr parser::parse_filter(expression_ptr left) {
  auto out = make(expression_kind::filter, expect_name());
  adopt(*out, std::move(left));
  if (accept_symbol("(")) parse_arguments(*out);
  return out;
}

expression_ptr parser::parse_filters(expression_ptr left) {
  for (;;) {
    if (accept_symbol("|")) {
      left = parse_postfix(parse_filter(std::move(left)));
    } else if (accept_name("is")) {
      left = parse_test(std::move(left));
    } else {
      return left;
    }
  }
}

expression_ptr parser::parse_test(expression_ptr left) {
  const bool negated = accept_name("not");
  auto out = make(expression_kind::test, expect_name());
  adopt(*out, std::move(left));
  const auto kind = peek().kind;
  const bool word = kind == token_kind::name && !is_name("and") && !is_name("or") && !is_name("else") &&
                    !is_name("if") && !is_name("is") && !is_name("not") && !is_name("in");
  if (accept_symbol("(")) {
    parse_arguments(*out);
  } else if (word || kind == token_kind::string || kind == token_kind::integer || kind == token_kind::real ||
             is_symbol("[") || is_symbol("{")) {
    adopt(*out, parse_postfix(parse_primary()));
  }
  if (!negated) return out;
  auto negation = make(expression_kind::unary, "not");
  adopt(*negation, std::move(out));
  return negation;
}

expression_ptr parser::parse_subscript(expression_ptr left) {
  auto out = make(expression_kind::subscript);
  adopt(*out, std::move(left));
  bool slice = false;
  for (;;) {
    const bool absent = is_symbol(":") || is_symbol("]");
    adopt(*out, absent ? nullptr : parse_expression());
    if (accept_symbol("]")) break;
    expect_symbol(":");
    slice = true;
    if (out->items.size() > 3) fail("a slice has too many parts");
  }
  if (slice) {
    out->kind = expression_kind::slice;
    while (out->items.size() < 4) adopt(*out, nullptr);
  } else if (out->items[1] == nullptr) {
    fail("expected an index");
  }
  return out;
}

void parser::parse_arguments(expression& call) {
  while (!accept_symbol(")")) {
    if (peek().kind == token_kind::name && is_symbol("=", 1)) {
      auto name = take().text;
      take();
      auto x = parse_expression();
      deepen(call, *x);
      call.named.emplace_back(std::move(name), std::move(x));
    } else {
      if (!call.named.empty()) fail("a positional argument after a named one");
      adopt(call, parse_expression());
    }
    if (!is_symbol(")")) expect_symbol(",");
  }
}

expression_ptr parser::parse_primary() {
  switch (peek().kind) {
    case token_kind::name:
      return parse_name();
    case token_kind::integer:
    case token_kind::real:
      return parse_number();
    case token_kind::string:
      return parse_text();
    default:
      break;
  }
  if (accept_symbol("(")) return parse_parenthesis();
  if (accept_symbol("[")) return parse_list();
  if (accept_symbol("{")) return parse_dictionary();
  fail("expected an expression");
}

expression_ptr parser::parse_name() {
  auto out = make(expression_kind::literal, take().text);
  const auto& name = out->text;
  if (name == "true" || name == "True") {
    out->constant = true;
  } else if (name == "false" || name == "False") {
    out->constant = false;
  } else if (name == "none" || name == "None") {
    out->constant = nullptr;
  } else {
    out->kind = expression_kind::name;
  }
  return out;
}

expression_ptr parser::parse_number() {
  auto out = make(expression_kind::literal);
  const auto number = take();
  const char* end = number.text.data() + number.text.size();
  if (number.kind == token_kind::integer) {
    std::int64_t x = 0;
    if (std::from_chars(number.text.data(), end, x).ec != std::errc{}) fail("a number that is too large");
    out->constant = x;
  } else {
    double x = 0;
    if (std::from_chars(number.text.data(), end, x).ec != std::errc{}) fail("a number that is too large");
    out->constant = x;
  }
  return out;
}

// Neighbouring strings are one.
expression_ptr parser::parse_text() {
  auto out = make(expression_kind::literal);
  std::string text;
  while (peek().kind == token_kind::string) text += take().text;
  out->constant = value::text(text, origin::model);
  return out;
}

expression_ptr parser::parse_parenthesis() {
  if (accept_symbol(")")) return make(expression_kind::tuple);
  auto out = parse_tuple();
  expect_symbol(")");
  return out;
}

expression_ptr parser::parse_list() {
  auto out = make(expression_kind::sequence);
  while (!accept_symbol("]")) {
    adopt(*out, parse_expression());
    if (!is_symbol("]")) expect_symbol(",");
  }
  return out;
}

expression_ptr parser::parse_dictionary() {
  auto out = make(expression_kind::dictionary);
  while (!accept_symbol("}")) {
    adopt(*out, parse_expression());
    expect_symbol(":");
    adopt(*out, parse_expression());
    if (!is_symbol("}")) expect_symbol(",");
  }
  return out;
}

}  // namespace neap::text::jinja
