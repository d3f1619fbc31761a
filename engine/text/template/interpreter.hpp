#pragma once
// Walks the parsed template. One object per rendering.

#include "engine/text/template/ast.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neap::text::jinja {

struct render_limits {
  std::size_t output_bytes = 16U << 20;
  std::size_t steps = 1'000'000;
  int depth = 64;  // macros and nested blocks
};

class interpreter {
 public:
  explicit interpreter(render_limits limits);
  ~interpreter();
  interpreter(const interpreter&) = delete;
  interpreter& operator=(const interpreter&) = delete;

  void set_global(const std::string& name, value x) { scopes_.front().variables[name] = std::move(x); }

  // Throws template_error.
  tainted_string render(const statement_list& body);

  // A namespace can hold itself, so the interpreter takes all of them apart in the end.
  value make_namespace(value::dictionary_ptr members);

 private:
  enum class flow : std::uint8_t { normal, stop, next };
  // A scope that is not transparent hides the names of those before it, except the first (macros).
  struct scope {
    std::unordered_map<std::string, value> variables;
    bool barrier = false;
  };

  // Statements (interpreter.cpp).
  flow run(const statement_list& body);
  flow run(const statement& node);
  flow run_condition(const statement& node);
  flow run_loop(const statement& node);
  flow run_items(const statement& node, const std::vector<value>& items);
  std::vector<value> loop_items(const statement& node);
  void run_assignment(const statement& node);
  void define_macro(const statement& node);
  value call_macro(const statement& node, const arguments& given);
  void bind_parameters(const statement& node, const arguments& given);
  tainted_string capture(const statement_list& body);
  value filtered_block(const statement& node);
  void assign(const expression& target, const value& x);
  void emit(const tainted_string& text);

  // Expressions (expressions.cpp).
  value evaluate(const expression& node);
  value evaluate_at(const expression& node);
  value evaluate_list(const expression& node, bool tuple);
  value evaluate_dictionary(const expression& node);
  value evaluate_unary(const expression& node);
  value evaluate_binary(const expression& node);
  value evaluate_comparison(const expression& node);
  value evaluate_conditional(const expression& node);
  value evaluate_subscript(const expression& node);
  value evaluate_slice(const expression& node);
  value evaluate_call(const expression& node);
  value evaluate_filter(const expression& node);
  value evaluate_test(const expression& node);
  arguments evaluate_arguments(const expression& node, std::size_t first);
  value look_up(const std::string& name) const;

  render_limits limits_;
  int depth_ = 0;
  std::vector<scope> scopes_;
  tainted_string output_;
  std::vector<value::dictionary_ptr> namespaces_;
};

// Items of anything that can be looped over: lists, strings by character, dictionaries by key. Undefined has
// none.
std::vector<value> iterate(const value& x);

// x.name and x[name] without methods: undefined if there is no such member.
value member(const value& x, const value& key);

// A method of a string, dictionary or list, by name; undefined if there is none.
value bound_method(const value& x, const std::string& name);

value text_method_of(const tainted_string& text, const std::string& name);

// An optional integer argument.
std::int64_t optional_integer(const arguments& given, std::size_t position, std::string_view name,
                              std::int64_t fallback);

// pattern % right, as Python formats; and pattern.format(...) with {}, {0} and {name}.
value format_percent(const tainted_string& pattern, const value& right);
tainted_string format_braces(const tainted_string& pattern, const arguments& given);

// Arithmetic and concatenation.
value binary_operation(const std::string& name, const value& left, const value& right);
bool contains(const value& container, const value& item);

// The filter or test by name; null if there is none.
using filter_function = value (*)(interpreter& in, const value& x, const arguments& given);
filter_function find_filter(std::string_view name);
using test_function = bool (*)(const value& x, const arguments& given);
test_function find_test(std::string_view name);

// Global functions: range, namespace, dict, raise_exception, strftime_now.
void add_globals(interpreter& in, std::int64_t now_unix_seconds);

// An argument by position or name; `fallback` if it was not given.
value argument(const arguments& given, std::size_t position, std::string_view name, value fallback = {});

}  // namespace neap::text::jinja
