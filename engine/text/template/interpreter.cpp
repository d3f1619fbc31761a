#include "engine/text/template/interpreter.hpp"

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
        return run_loop(node);
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
std::vector<value> interpreter::loop_items(const statement& node) {
  auto items = iterate(evaluate(*node.value));
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

interpreter::flow interpreter::run_loop(const statement& node) {
  const auto items = loop_items(node);
  return run_items(node, items);
}

namespace {

value loop_variable(const std::vector<value>& items, std::size_t i) {
  auto loop = std::make_shared<dictionary>();
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
interpreter::flow interpreter::run_items(const statement& node, const std::vector<value>& items) {
  bool completed = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    spend_work(8);
    scopes_.emplace_back();
    scopes_.back().variables["loop"] = loop_variable(items, i);
    assign(*node.target, items[i]);
    const auto result = run(node.body);
    scopes_.pop_back();
    if (result == flow::stop) break;
    completed = completed || result == flow::normal;
  }
  return completed ? flow::normal : run(node.otherwise);
}

tainted_string interpreter::capture(const statement_list& body) {
  auto outer = std::exchange(output_, {});
  run(body);
  return std::exchange(output_, std::move(outer));
}

value interpreter::filtered_block(const statement& node) {
  value text{capture(node.body)};
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
    bool known = false;
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
  value out{capture(node.body)};
  scopes_.pop_back();
  return out;
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
