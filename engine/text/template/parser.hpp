#pragma once

#include "engine/text/template/ast.hpp"
#include "engine/text/template/lexer.hpp"

namespace neap::text::jinja {

// Recursive descent with a depth limit. Throws template_error with the line and what was expected.
class parser {
 public:
  explicit parser(std::vector<token> tokens) : tokens_(std::move(tokens)) {}
  statement_list parse_template();

 private:
  // Statements (parser.cpp).
  statement_list parse_body(std::initializer_list<std::string_view> ends);
  std::unique_ptr<statement> parse_statement();
  std::unique_ptr<statement> parse_if();
  std::unique_ptr<statement> parse_for();
  std::unique_ptr<statement> parse_set();
  std::unique_ptr<statement> parse_macro();
  std::unique_ptr<statement> parse_filter_block();
  std::unique_ptr<statement> parse_group();
  std::unique_ptr<statement> parse_with();
  std::unique_ptr<statement> parse_call_block();
  void parse_parameters(statement& macro);
  statement_list parse_macro_body(std::string_view end);
  std::unique_ptr<statement> parse_simple(statement_kind kind);
  std::unique_ptr<statement> make_statement(statement_kind kind) const;
  expression_ptr parse_target();
  void end_block(std::string_view name);

  // Expressions, loosest first (expression_parser.cpp).
  expression_ptr parse_tuple(bool conditional = true);
  expression_ptr parse_expression();
  expression_ptr parse_or();
  expression_ptr parse_and();
  expression_ptr parse_not();
  std::string take_comparison();
  expression_ptr parse_comparison();
  expression_ptr parse_binary(std::size_t level);
  expression_ptr parse_unary(bool with_filters);
  expression_ptr parse_postfix(expression_ptr left);
  expression_ptr parse_filter(expression_ptr left);
  expression_ptr parse_filters(expression_ptr left);
  expression_ptr parse_test(expression_ptr left);
  expression_ptr parse_subscript(expression_ptr left);
  expression_ptr parse_primary();
  expression_ptr parse_name();
  expression_ptr parse_number();
  expression_ptr parse_text();
  expression_ptr parse_parenthesis();
  expression_ptr parse_list();
  expression_ptr parse_dictionary();
  void parse_arguments(expression& call);
  // Children count towards the depth, which is limited: chains such as a.b.c.d are deep trees too.
  void deepen(expression& parent, const expression& child) const;
  void adopt(expression& parent, expression_ptr child) const;
  expression_ptr make(expression_kind kind, std::string text = {}) const;

  // Tokens.
  const token& peek(std::size_t ahead = 0) const;
  token take();
  bool is_symbol(std::string_view text, std::size_t ahead = 0) const;
  bool is_name(std::string_view text, std::size_t ahead = 0) const;
  bool accept_symbol(std::string_view text);
  bool accept_name(std::string_view text);
  void expect_symbol(std::string_view text);
  void expect_close();
  std::string expect_name();
  [[noreturn]] void fail(const std::string& message) const;

  struct nesting {
    explicit nesting(parser& owner) : owner_(owner) {
      if (++owner_.depth_ > max_depth) owner_.fail("nested too deeply");
    }
    ~nesting() { --owner_.depth_; }
    parser& owner_;
  };
  // Each level of expression nesting passes about ten functions.
  static constexpr int max_depth = 64;
  static constexpr int max_expression_depth = 250;

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int loops_ = 0;  // loops around the current statement
};

}  // namespace neap::text::jinja
