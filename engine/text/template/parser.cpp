#include "engine/text/template/parser.hpp"

#include <algorithm>
#include <utility>

namespace neap::text::jinja {

void parser::fail(const std::string& message) const { throw template_error{message, peek().line}; }

const token& parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

token parser::take() {
  token current = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return current;
}

bool parser::is_symbol(std::string_view text, std::size_t ahead) const {
  return peek(ahead).kind == token_kind::symbol && peek(ahead).text == text;
}

bool parser::is_name(std::string_view text, std::size_t ahead) const {
  return peek(ahead).kind == token_kind::name && peek(ahead).text == text;
}

bool parser::accept_symbol(std::string_view text) {
  if (!is_symbol(text)) return false;
  take();
  return true;
}

bool parser::accept_name(std::string_view text) {
  if (!is_name(text)) return false;
  take();
  return true;
}

void parser::expect_symbol(std::string_view text) {
  if (!accept_symbol(text)) fail("expected '" + std::string{text} + "'");
}

void parser::expect_close() {
  if (peek().kind != token_kind::close) fail("expected the end of the tag");
  take();
}

std::string parser::expect_name() {
  if (peek().kind != token_kind::name) fail("expected a name");
  return take().text;
}

std::unique_ptr<statement> parser::make_statement(statement_kind kind) const {
  auto out = std::make_unique<statement>();
  out->kind = kind;
  out->line = peek().line;
  return out;
}

statement_list parser::parse_template() {
  auto body = parse_body({});
  if (peek().kind != token_kind::end) fail("unexpected tag '" + peek(1).text + "'");
  return body;
}

// Up to a statement tag whose name is one of `ends` (which stays), or the end of the template.
statement_list parser::parse_body(std::initializer_list<std::string_view> ends) {
  const nesting guard{*this};
  statement_list body;
  while (peek().kind != token_kind::end) {
    if (peek().kind == token_kind::text) {
      auto text = make_statement(statement_kind::text);
      text->text = take().text;
      body.push_back(std::move(text));
    } else if (peek().kind == token_kind::expression_open) {
      auto output = make_statement(statement_kind::output);
      take();
      output->value = parse_tuple();
      expect_close();
      body.push_back(std::move(output));
    } else {
      const auto& name = peek(1).text;
      if (std::find(ends.begin(), ends.end(), name) != ends.end()) break;
      body.push_back(parse_statement());
    }
  }
  return body;
}

std::unique_ptr<statement> parser::parse_statement() {
  take();  // {%
  const auto name = peek();
  if (name.kind != token_kind::name) fail("expected a statement name");
  if (accept_name("if")) return parse_if();
  if (accept_name("for")) return parse_for();
  if (accept_name("set")) return parse_set();
  if (accept_name("macro")) return parse_macro();
  if (accept_name("filter")) return parse_filter_block();
  if (accept_name("generation")) return parse_group();
  if (accept_name("with")) return parse_with();
  if (accept_name("call")) return parse_call_block();
  if (accept_name("break")) return parse_simple(statement_kind::stop);
  if (accept_name("continue")) return parse_simple(statement_kind::next);
  fail("statement '" + name.text + "' is not supported");
}

std::unique_ptr<statement> parser::parse_simple(statement_kind kind) {
  if (loops_ == 0) fail("'break' or 'continue' outside a loop");
  auto out = make_statement(kind);
  expect_close();
  return out;
}

void parser::end_block(std::string_view name) {
  if (peek().kind != token_kind::statement_open || !is_name(name, 1))
    fail("expected {% " + std::string{name} + " %}");
  take();
  take();
  if (peek().kind == token_kind::name) take();  // endmacro may repeat the name
  expect_close();
}

std::unique_ptr<statement> parser::parse_if() {
  auto out = make_statement(statement_kind::condition);
  for (;;) {
    auto condition = parse_tuple();
    expect_close();
    auto body = parse_body({"elif", "else", "endif"});
    out->branches.emplace_back(std::move(condition), std::move(body));
    if (!is_name("elif", 1)) break;
    take();
    take();
  }
  if (is_name("else", 1)) {
    take();
    take();
    expect_close();
    out->otherwise = parse_body({"endif"});
  }
  end_block("endif");
  return out;
}

std::unique_ptr<statement> parser::parse_for() {
  auto out = make_statement(statement_kind::loop);
  out->target = parse_target();
  if (!accept_name("in")) fail("expected 'in'");
  out->value = parse_tuple(false);
  if (accept_name("if")) out->condition = parse_expression();
  out->recursive = accept_name("recursive");
  expect_close();
  ++loops_;
  out->body = parse_body({"else", "endfor"});
  --loops_;
  if (is_name("else", 1)) {
    take();
    take();
    expect_close();
    out->otherwise = parse_body({"endfor"});
  }
  end_block("endfor");
  return out;
}

// name, name.attribute, or several of them with commas.
expression_ptr parser::parse_target() {
  const auto single = [this] {
    auto name = make(expression_kind::name);
    name->text = expect_name();
    if (!accept_symbol(".")) return name;
    auto attribute = make(expression_kind::attribute, expect_name());
    adopt(*attribute, std::move(name));
    return attribute;
  };
  const bool bracket = accept_symbol("(");
  auto first = single();
  if (is_symbol(",")) {
    auto all = make(expression_kind::tuple);
    adopt(*all, std::move(first));
    while (accept_symbol(",") && peek().kind == token_kind::name) adopt(*all, single());
    first = std::move(all);
  }
  if (bracket) expect_symbol(")");
  return first;
}

std::unique_ptr<statement> parser::parse_set() {
  auto out = make_statement(statement_kind::assign);
  out->target = parse_target();
  if (accept_symbol("=")) {
    out->value = parse_tuple();
    expect_close();
    return out;
  }
  out->kind = statement_kind::assign_block;
  if (is_symbol("|")) out->value = parse_filters(make(expression_kind::name, block_text_name));
  expect_close();
  out->body = parse_body({"endset"});
  end_block("endset");
  return out;
}

std::unique_ptr<statement> parser::parse_macro() {
  auto out = make_statement(statement_kind::macro);
  out->text = expect_name();
  parse_parameters(*out);
  expect_close();
  out->body = parse_macro_body("endmacro");
  return out;
}

void parser::parse_parameters(statement& macro) {
  expect_symbol("(");
  while (!accept_symbol(")")) {
    auto name = expect_name();
    auto fallback = accept_symbol("=") ? parse_expression() : nullptr;
    if (name == "caller" && fallback == nullptr) fail("an argument named caller needs a default");
    macro.parameters.emplace_back(std::move(name), std::move(fallback));
    if (!is_symbol(")")) expect_symbol(",");
  }
}

statement_list parser::parse_macro_body(std::string_view end) {
  const int outer_loops = std::exchange(loops_, 0);
  auto body = parse_body({end});
  loops_ = outer_loops;
  end_block(end);
  return body;
}

std::unique_ptr<statement> parser::parse_call_block() {
  auto out = make_statement(statement_kind::call_block);
  out->text = "caller";
  if (is_symbol("(")) parse_parameters(*out);
  out->value = parse_expression();
  if (out->value->kind != expression_kind::call) fail("expected a call");
  expect_close();
  out->body = parse_macro_body("endcall");
  return out;
}

std::unique_ptr<statement> parser::parse_with() {
  auto out = make_statement(statement_kind::with);
  while (peek().kind != token_kind::close) {
    if (!out->bindings.empty()) expect_symbol(",");
    auto target = parse_target();
    expect_symbol("=");
    out->bindings.emplace_back(std::move(target), parse_expression());
  }
  expect_close();
  out->body = parse_body({"endwith"});
  end_block("endwith");
  return out;
}

std::unique_ptr<statement> parser::parse_filter_block() {
  auto out = make_statement(statement_kind::filter_block);
  // The tag holds a filter chain without its first bar.
  out->value = parse_filters(parse_filter(make(expression_kind::name, block_text_name)));
  expect_close();
  out->body = parse_body({"endfilter"});
  end_block("endfilter");
  return out;
}

std::unique_ptr<statement> parser::parse_group() {
  auto out = make_statement(statement_kind::group);
  expect_close();
  out->body = parse_body({"endgeneration"});
  end_block("endgeneration");
  return out;
}

}  // namespace neap::text::jinja
