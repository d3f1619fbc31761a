#include "engine/text/template/interpreter.hpp"

#include "engine/text/template/call_arguments.hpp"
#include "engine/text/template/members.hpp"

#include <iterator>
#include <utility>

namespace neap::text::jinja {

tainted_string interpreter::render(const statement_list& body) {
  run(body);
  return std::move(output_);
}

interpreter::interpreter(render_limits limits) : limits_(limits) {
  begin_work(limits_.steps);
  scopes_.emplace_back();
}

interpreter::~interpreter() {
  for (const auto& members : namespaces_) members->entries.clear();
}

value interpreter::make_namespace(value::dictionary_ptr members) {
  namespaces_.push_back(members);
  return value::name_space{std::move(members)};
}

void interpreter::emit(const tainted_string& text) {
  if (output_.size() + text.size() > limits_.output_bytes) raise("the rendered prompt is too large");
  spend_work(text.size() / 64);
  output_.append(text);
}

template <class Work>
tainted_string interpreter::capture(Work work) {
  auto outer = std::exchange(output_, {});
  work();
  return std::exchange(output_, std::move(outer));
}

template <class Work>
value interpreter::in_outer_scopes(std::size_t scope_count, Work work) {
  if (scopes_.size() < scope_count) raise("the block of this function has ended");
  const auto border = scopes_.begin() + static_cast<std::ptrdiff_t>(scope_count);
  std::vector<scope> inner(std::make_move_iterator(border), std::make_move_iterator(scopes_.end()));
  scopes_.erase(border, scopes_.end());
  value out{work()};
  scopes_.insert(scopes_.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
  return out;
}

interpreter::flow interpreter::run(const statement_list& body) {
  if (++depth_ > limits_.depth) {
    --depth_;
    raise("the template nests too deeply");
  }
  flow result = flow::normal;
  for (const auto& node : body) {
    result = run(*node);
    if (result != flow::normal) break;
  }
  --depth_;
  return result;
}

interpreter::flow interpreter::run(const statement& node) {
  spend_work(1);
  try {
    switch (node.kind) {
      case statement_kind::text:
        emit({node.text, origin::model});
        break;
      case statement_kind::output:
        emit(to_text(evaluate(*node.value)));
        break;
      case statement_kind::condition:
        return run_condition(node);
      case statement_kind::loop:
        return run_loop(node, evaluate(*node.value), 1);
      case statement_kind::assign:
      case statement_kind::assign_block:
        run_assignment(node);
        break;
      case statement_kind::macro:
        define_macro(node);
        break;
      case statement_kind::filter_block:
        emit(to_text(filtered_block(node)));
        break;
      case statement_kind::group:
        return run(node.body);
      case statement_kind::with:
        return run_with(node);
      case statement_kind::call_block:
        emit(to_text(call_block(node)));
        break;
      case statement_kind::stop:
        return flow::stop;
      case statement_kind::next:
        return flow::next;
    }
  } catch (template_error& problem) {
    if (problem.line == 0) problem.line = node.line;
    throw;
  }
  return flow::normal;
}

interpreter::flow interpreter::run_condition(const statement& node) {
  for (const auto& [condition, body] : node.branches)
    if (evaluate(*condition).truthy()) return run(body);
  return run(node.otherwise);
}

// The loop's items after its filter, each evaluated in a scope of its own.
std::vector<value> interpreter::loop_items(const statement& node, const value& iterable) {
  auto items = iterate(iterable);
  spend_work(items.size());
  if (node.condition == nullptr) return items;
  std::vector<value> kept;
  for (auto& item : items) {
    scopes_.emplace_back();
    assign(*node.target, item);
    if (evaluate(*node.condition).truthy()) kept.push_back(std::move(item));
    scopes_.pop_back();
  }
  return kept;
}

interpreter::flow interpreter::run_with(const statement& node) {
  std::vector<value> values;  // seen from outside
  for (const auto& [target, x] : node.bindings) values.push_back(evaluate(*x));
  scopes_.emplace_back();
  for (std::size_t i = 0; i < values.size(); ++i) assign(*node.bindings[i].first, values[i]);
  const auto result = run(node.body);
  scopes_.pop_back();
  return result;
}

// `depth`: 1, or more where a recursive loop calls itself.
interpreter::flow interpreter::run_loop(const statement& node, const value& iterable, int depth) {
  const auto items = loop_items(node, iterable);
  dictionary loop;
  loop.set({"depth", origin::model}, std::int64_t{depth});
  loop.set({"depth0", origin::model}, std::int64_t{depth - 1});
  if (node.recursive) loop.call = std::make_shared<const native_function>(loop_function(node, depth));
  return run_items(node, items, loop);
}

native_function interpreter::loop_function(const statement& node, int depth) {
  return [this, &node, depth, count = scopes_.size()](const arguments& given) {
    return in_outer_scopes(
        count, [&] { return capture([&] { run_loop(node, argument(given, 0, "iterable"), depth + 1); }); });
  };
}

namespace {

value loop_variable(const std::vector<value>& items, std::size_t i, const dictionary& common) {
  auto loop = std::make_shared<dictionary>(common);
  const auto set = [&](const char* name, value x) { loop->set({name, origin::model}, std::move(x)); };
  const auto count = static_cast<std::int64_t>(items.size()), index = static_cast<std::int64_t>(i);
  set("index", index + 1);
  set("index0", index);
  set("revindex", count - index);
  set("revindex0", count - index - 1);
  set("first", i == 0);
  set("last", i + 1 == items.size());
  set("length", count);
  set("previtem", i > 0 ? items[i - 1] : value{undefined{"previtem"}});
  set("nextitem", i + 1 < items.size() ? items[i + 1] : value{undefined{"nextitem"}});
  set("cycle", value{native_function{[i](const arguments& given) {
        return given.positional.empty() ? value{} : given.positional[i % given.positional.size()];
      }}});
  return loop;
}

}  // namespace

// As in Jinja, `else` runs unless some pass reached the end of the body: not after `continue` or `break`
// alone.
interpreter::flow interpreter::run_items(const statement& node, const std::vector<value>& items,
                                         const dictionary& loop) {
  bool completed = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    spend_work(8);
    scopes_.emplace_back();
    scopes_.back().variables["loop"] = loop_variable(items, i, loop);
    assign(*node.target, items[i]);
    const auto result = run(node.body);
    scopes_.pop_back();
    if (result == flow::stop) break;
    completed = completed || result == flow::normal;
  }
  return completed ? flow::normal : run(node.otherwise);
}

value interpreter::filtered_block(const statement& node) {
  value text{capture([&] { run(node.body); })};
  if (node.value == nullptr) return text;
  scopes_.emplace_back();
  scopes_.back().variables[block_text_name] = std::move(text);
  auto out = evaluate(*node.value);
  scopes_.pop_back();
  return out;
}

void interpreter::run_assignment(const statement& node) {
  assign(*node.target, node.kind == statement_kind::assign ? evaluate(*node.value) : filtered_block(node));
}

void interpreter::assign(const expression& target, const value& x) {
  if (target.kind == expression_kind::name) {
    scopes_.back().variables[target.text] = x;
  } else if (target.kind == expression_kind::attribute) {
    auto* members = evaluate(*target.items[0]).as_namespace();
    if (members == nullptr) raise("only a namespace's attributes can be set");
    members->set({target.text, origin::model}, x);
  } else {
    const auto items = iterate(x);
    if (items.size() != target.items.size())
      raise("cannot unpack " + std::to_string(items.size()) + " values into " +
            std::to_string(target.items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) assign(*target.items[i], items[i]);
  }
}

void interpreter::define_macro(const statement& node) {
  scopes_.back().variables[node.text] =
      value{native_function{[this, &node](const arguments& given) { return call_macro(node, given); }}};
}

void interpreter::bind_parameters(const statement& node, const arguments& given) {
  if (given.positional.size() > node.parameters.size())
    raise("macro " + node.text + " was given too many arguments");
  for (const auto& [name, unused] : given.named) {
    bool known = name == "caller";
    for (const auto& parameter : node.parameters) known = known || parameter.first == name;
    if (!known) raise("macro " + node.text + " has no argument " + name);
  }
  for (std::size_t i = 0; i < node.parameters.size(); ++i) {
    const auto& [name, fallback] = node.parameters[i];
    value x = argument(given, i, name, value{undefined{name}});
    if (x.is_undefined() && fallback != nullptr) x = evaluate(*fallback);
    scopes_.back().variables[name] = std::move(x);
  }
}

value interpreter::call_macro(const statement& node, const arguments& given) {
  spend_work(8);
  scopes_.emplace_back();
  scopes_.back().barrier = true;
  bind_parameters(node, given);
  const auto caller = argument(given, node.parameters.size(), "caller");
  if (!caller.is_undefined()) scopes_.back().variables["caller"] = caller;
  value out{capture([&] { run(node.body); })};
  scopes_.pop_back();
  return out;
}

// A call whose `caller` renders the block's body, which sees the names around the block.
value interpreter::call_block(const statement& node) {
  const native_function caller = [this, &node, count = scopes_.size()](const arguments& given) {
    return run_caller(node, given, count);
  };
  return evaluate_call(*node.value, &caller);
}

value interpreter::run_caller(const statement& node, const arguments& given, std::size_t scope_count) {
  spend_work(8);
  return in_outer_scopes(scope_count, [&] {
    scopes_.emplace_back();
    bind_parameters(node, given);
    // Hides the caller of a macro around the block.
    scopes_.back().variables["caller"] =
        argument(given, node.parameters.size(), "caller", undefined{"caller"});
    auto out = capture([&] { run(node.body); });
    scopes_.pop_back();
    return out;
  });
}

value interpreter::look_up(const std::string& name) const {
  for (auto at = scopes_.rbegin(); at != scopes_.rend(); ++at) {
    const auto found = at->variables.find(name);
    if (found != at->variables.end()) return found->second;
    // A macro sees its own names and the template's top level.
    if (at->barrier) {
      const auto global = scopes_.front().variables.find(name);
      if (global != scopes_.front().variables.end()) return global->second;
      break;
    }
  }
  return undefined{name};
}

}  // namespace neap::text::jinja
