#pragma once
// The parsed template.

#include "engine/text/template/value.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace neap::text::jinja {

struct expression;
struct statement;
using expression_ptr = std::unique_ptr<expression>;
using statement_list = std::vector<std::unique_ptr<statement>>;

enum class expression_kind : std::uint8_t {
  literal,      // constant
  name,         // text
  sequence,     // items: a list
  tuple,        // items
  dictionary,   // items: key, value, key, value, ...
  unary,        // text: "-", "+", "not"; items[0]
  binary,       // text: operator; items[0], items[1]
  comparison,   // items[0] named[0] items[1] named[1] items[2] ...: a chain as in Python
  conditional,  // items: condition, then, else (may be null)
  attribute,    // items[0].text
  subscript,    // items[0][items[1]]
  slice,        // items[0][items[1]:items[2]:items[3]], each bound may be null
  call,         // items[0](items[1..], named)
  filter,       // items[0] | text(items[1..], named)
  test,         // items[0] is text(items[1..])
};

struct expression {
  expression_kind kind = expression_kind::literal;
  std::size_t line = 0;
  int depth = 1;  // levels of the tree from here down
  std::string text;
  value constant;
  std::vector<expression_ptr> items;
  std::vector<std::pair<std::string, expression_ptr>> named;
};

enum class statement_kind : std::uint8_t {
  text,          // text
  output,        // value
  condition,     // branches (condition, body), otherwise
  loop,          // targets in value (condition optional) body, otherwise; recursive
  assign,        // target = value
  assign_block,  // target, body, value: optional filter chain over name ""
  macro,         // text: name; parameters, body
  filter_block,  // value: filter chain over name "", body
  group,         // body (generation blocks)
  with,          // bindings (target, value), body
  call_block,    // value: a call; parameters and body of its `caller`
  stop,          // break
  next,          // continue
};

struct statement {
  statement_kind kind = statement_kind::text;
  std::size_t line = 0;
  std::string text;
  expression_ptr target;
  expression_ptr value;
  expression_ptr condition;
  std::vector<std::pair<expression_ptr, statement_list>> branches;
  std::vector<std::pair<std::string, expression_ptr>> parameters;  // default may be null
  std::vector<std::pair<expression_ptr, expression_ptr>> bindings;
  bool recursive = false;
  statement_list body;
  statement_list otherwise;
};

// Name under which a filter block's or a block assignment's text reaches its filter chain.
inline constexpr const char* block_text_name = " block";

}  // namespace neap::text::jinja
