#include "engine/text/tool_calls/python_call_reader.hpp"

namespace neap::text {
namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) noexcept { return is_letter(c) || (c >= '0' && c <= '9'); }

}  // namespace

call_status python_call_reader::go(state next) {
  state_ = next;
  return call_status::open;
}

call_status python_call_reader::push(char c) {
  if (state_ == state::name) return push_name(c);
  if (state_ == state::in_keyword) return push_keyword(c);
  if (state_ == state::value) return push_value(c);
  if (is_json_blank(c)) return call_status::open;
  switch (state_) {
    case state::before_parenthesis:
      return c == '(' ? go(state::keyword_or_close) : call_status::malformed;
    case state::keyword_or_close:
      if (c == ')') return close();
      if (!is_letter(c)) return call_status::malformed;
      keyword_ = c;
      return go(state::in_keyword);
    case state::before_equals:
      return equals(c);
    default:
      return after_value(c);
  }
}

// Parts between dots begin with a letter.
call_status python_call_reader::push_name(char c) {
  auto& name = progress_.name;
  const bool part_begins = name.empty() || name.back() == '.';
  if (!part_begins && c == '(') return go(state::keyword_or_close);
  if (!part_begins && is_json_blank(c)) return go(state::before_parenthesis);
  const bool fits = part_begins ? is_letter(c) : is_name_part(c) || c == '.';
  if (!fits || name.size() == max_function_name_bytes) return call_status::malformed;
  name += c;
  return call_status::open;
}

call_status python_call_reader::push_keyword(char c) {
  if (is_name_part(c)) {
    keyword_ += c;
    return keyword_.size() > max_function_name_bytes ? call_status::malformed : call_status::open;
  }
  state_ = state::before_equals;
  return push(c);
}

call_status python_call_reader::equals(char c) {
  if (c != '=' || !keywords_.insert(keyword_).second) return call_status::malformed;
  progress_.arguments += progress_.started ? ", \"" : "{\"";
  progress_.arguments += keyword_ + "\": ";
  progress_.started = true;
  value_ = python_literal{max_depth_};
  return go(state::value);
}

call_status python_call_reader::push_value(char c) {
  switch (value_.push(c, progress_.arguments)) {
    case scan_status::open:
      return call_status::open;
    case scan_status::complete:
      return go(state::after_value);
    case scan_status::complete_before:
      state_ = state::after_value;
      return push(c);
    default:
      return call_status::malformed;
  }
}

call_status python_call_reader::after_value(char c) {
  if (c == ',') return go(state::keyword_or_close);  // Python allows a comma at the end
  return c == ')' ? close() : call_status::malformed;
}

call_status python_call_reader::close() {
  progress_.arguments += progress_.started ? "}" : "{}";
  progress_.started = true;
  return call_status::complete;
}

}  // namespace neap::text
