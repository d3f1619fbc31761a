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
  flow run_with(const statement& node);
  flow run_loop(const statement& node, const value& iterable, int depth);
  flow run_items(const statement& node, const std::vector<value>& items, const dictionary& loop);
  std::vector<value> loop_items(const statement& node, const value& iterable);
  native_function loop_function(const statement& node, int depth);
  void run_assignment(const statement& node);
  void define_macro(const statement& node);
  value call_macro(const statement& node, const arguments& given);
  value call_block(const statement& node);
  value run_caller(const statement& node, const arguments& given, std::size_t scope_count);
  void bind_parameters(const statement& node, const arguments& given);
  template <class Work>
  tainted_string capture(Work work);
  // Runs `work` with the outermost `scope_count` scopes alone: those around a block that is called from
  // elsewhere.
  template <class Work>
  value in_outer_scopes(std::size_t scope_count, Work work);
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
  value evaluate_call(const expression& node, const native_function* caller = nullptr);
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

}  // namespace neap::text::jinja
