#pragma once
// Values of the template language. Lists, dictionaries and namespaces are shared, as in Python.

#include "engine/text/template/tainted_string.hpp"
#include "messages/json_value.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace neap::text::jinja {

class value;
struct macro_node;

using list = std::vector<value>;

// Positional and named arguments of a call.
struct arguments;
using native_function = std::function<value(const arguments&)>;

struct undefined {
  std::string name;  // for error messages
};

// In the order of insertion. Keys are strings; the language's other keys do not occur in chat templates.
struct dictionary {
  std::vector<std::pair<tainted_string, value>> entries;
  int depth = 1;                                // levels of lists and dictionaries from here down
  std::shared_ptr<const native_function> call;  // of the `loop` of a recursive loop
  const value* find(std::string_view key) const;
  void set(const tainted_string& key, value item);
};

struct list_box {
  list items;
  bool tuple = false;
  bool group = false;  // a tuple of groupby: its items are also called grouper and list
  int depth = 1;       // levels of lists and dictionaries from here down
};

struct arguments {
  std::vector<value> positional;
  std::vector<std::pair<std::string, value>> named;
};

struct function_box;

class value {
 public:
  using dictionary_ptr = std::shared_ptr<dictionary>;
  using list_ptr = std::shared_ptr<list_box>;
  struct name_space {
    dictionary_ptr members;
  };

  value() : data_(undefined{}) {}
  value(undefined x) : data_(std::move(x)) {}
  value(std::nullptr_t) : data_(nullptr) {}
  value(bool x) : data_(x) {}
  value(std::int64_t x) : data_(x) {}
  value(double x) : data_(x) {}
  value(tainted_string x) : data_(std::move(x)) {}
  value(list_ptr x) : data_(std::move(x)) {}
  value(dictionary_ptr x) : data_(std::move(x)) {}
  value(name_space x) : data_(std::move(x)) {}
  // `depth`: of the value the function holds on to.
  value(native_function x, int depth = 0);

  static value from_list(list items, bool tuple = false);
  static value group(value grouper, list items);
  static value text(std::string_view x, origin from) { return value{tainted_string{x, from}}; }

  bool is_undefined() const noexcept { return std::holds_alternative<undefined>(data_); }
  bool is_none() const noexcept { return std::holds_alternative<std::nullptr_t>(data_); }
  const undefined* as_undefined() const noexcept { return std::get_if<undefined>(&data_); }
  const bool* as_bool() const noexcept { return std::get_if<bool>(&data_); }
  const std::int64_t* as_int() const noexcept { return std::get_if<std::int64_t>(&data_); }
  const double* as_float() const noexcept { return std::get_if<double>(&data_); }
  const tainted_string* as_string() const noexcept { return std::get_if<tainted_string>(&data_); }
  list_box* as_list() const noexcept {
    const auto* box = std::get_if<list_ptr>(&data_);
    return box ? box->get() : nullptr;
  }
  dictionary* as_dictionary() const noexcept {
    const auto* box = std::get_if<dictionary_ptr>(&data_);
    return box ? box->get() : nullptr;
  }
  dictionary* as_namespace() const noexcept {
    const auto* box = std::get_if<name_space>(&data_);
    return box ? box->members.get() : nullptr;
  }
  // Also the function of a dictionary that can be called.
  const native_function* as_function() const noexcept;

  // Levels of lists and dictionaries; a namespace counts as flat, since the interpreter takes it apart.
  int depth() const noexcept;

  // Python's rules of truth.
  bool truthy() const;
  // An integer, a boolean or a whole float read as an integer.
  std::optional<std::int64_t> integer() const;
  // Any number as a float.
  std::optional<double> number() const;
  // "str", "int", "list", ...: Python's name of the type.
  std::string type_name() const;

 private:
  std::variant<undefined, std::nullptr_t, bool, std::int64_t, double, tainted_string, list_ptr,
               dictionary_ptr, name_space, std::shared_ptr<const function_box>>
      data_;
};

// Python's == and <. Ordering exists between numbers, between strings, and between lists of those.
bool equal(const value& a, const value& b);
bool less(const value& a, const value& b);

// The input's JSON as values; its text is of origin input.
value from_json(const json_value& json);

// What went wrong while parsing or rendering; `line` 0 until known.
struct template_error {
  std::string message;
  std::size_t line = 0;
};
[[noreturn]] void raise(std::string message);

// The work of the rendering on this thread. A rendering starts with begin_work; spend_work raises when all is
// spent, so that all loops over values are bounded together.
void begin_work(std::size_t steps) noexcept;
void spend_work(std::size_t steps);

// Python's str() and repr(); numbers and structure are of the template's origin, strings keep theirs.
tainted_string to_text(const value& x);
tainted_string to_repr(const value& x);

struct json_style {
  std::optional<std::int64_t> indent;
  bool sort_keys = false;
  bool ascii = false;  // everything past ASCII as escapes
  tainted_string item_separator{", ", origin::model};
  tainted_string key_separator{": ", origin::model};
};
// json.dumps(x). Text that came from the input stays input.
tainted_string to_json(const value& x, const json_style& style, std::int64_t level = 0);

}  // namespace neap::text::jinja
