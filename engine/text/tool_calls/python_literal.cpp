#include "engine/text/tool_calls/python_literal.hpp"

#include <array>
#include <cstdio>

namespace neap::text {
namespace {

constexpr std::size_t max_scalar_bytes = 400;

// The literal in JSON; empty if there is none.
std::string_view scalar_in_json(std::string_view text) {
  if (text == "True" || text == "true") return "true";
  if (text == "False" || text == "false") return "false";
  if (text == "None" || text == "null") return "null";
  return is_json_number(text) ? text : std::string_view{};
}

void append_control(unsigned char c, std::string& json) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04x", c);
  json += buffer.data();
}

bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

scan_status python_literal::go(state next) {
  state_ = next;
  return scan_status::open;
}

scan_status python_literal::push(char c, std::string& json) {
  switch (state_) {
    case state::text:
      return push_text(c, json);
    case state::escape:
      return push_escape(c, json);
    case state::unicode:
      return push_unicode(c, json);
    case state::scalar:
      return push_scalar(c, json);
    default:
      return push_structure(c, json);
  }
}

scan_status python_literal::push_text(char c, std::string& json) {
  if (c == '\\') return go(state::escape);
  if (c == '\n' || c == '\r') return scan_status::malformed;
  if (c == quote_) {
    json += '"';
    if (open_.empty()) return scan_status::complete;
    return go(in_key_ ? state::colon : state::after_value);
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    append_control(static_cast<unsigned char>(c), json);
    return scan_status::open;
  }
  if (c == '"') json += '\\';
  json += c;
  return scan_status::open;
}

// The escapes that both languages write alike, quotes, \x and \u. Python keeps the backslash of any other
// letter; octal and named ones are not supported.
scan_status python_literal::push_escape(char c, std::string& json) {
  if (c == 'u' || c == 'x') {
    json += c == 'u' ? "\\u" : "\\u00";
    hex_digits_left_ = c == 'u' ? 4 : 2;
    return go(state::unicode);
  }
  if ((c >= '0' && c <= '7') || c == 'N' || c == 'U' || static_cast<unsigned char>(c) < 0x20)
    return scan_status::malformed;
  if (c == '\'') {
    json += c;
  } else if (c == 'a' || c == 'v') {
    append_control(c == 'a' ? 0x07 : 0x0B, json);
  } else {
    const bool alike = std::string_view{"\"\\bfnrt"}.find(c) != std::string_view::npos;
    json += alike ? "\\" : "\\\\";
    json += c;
  }
  return go(state::text);
}

scan_status python_literal::push_unicode(char c, std::string& json) {
  if (!is_hex(c)) return scan_status::malformed;
  json += c;
  return --hex_digits_left_ == 0 ? go(state::text) : scan_status::open;
}

scan_status python_literal::push_scalar(char c, std::string& json) {
  if (is_json_scalar_character(c)) {
    scalar_ += c;
    return scalar_.size() > max_scalar_bytes ? scan_status::malformed : scan_status::open;
  }
  const auto translated = scalar_in_json(scalar_);
  if (translated.empty()) return scan_status::malformed;
  json += translated;
  if (open_.empty()) return scan_status::complete_before;
  state_ = state::after_value;
  return push_structure(c, json);
}

scan_status python_literal::push_structure(char c, std::string& json) {
  if (is_json_blank(c)) return scan_status::open;
  switch (state_) {
    case state::value_or_close:
      return c == ']' ? close(c, json) : begin_value(c, json);
    case state::key_or_close:
      if (c == '}') return close(c, json);
      return c == '"' || c == '\'' ? begin_text(c, true, json) : scan_status::malformed;
    case state::colon:
      json += ": ";
      return c == ':' ? go(state::value) : scan_status::malformed;
    case state::after_value:
      if (c == ',') return go(open_.back().bracket == '{' ? state::key_or_close : state::value_or_close);
      return c == '}' || c == ']' ? close(c, json) : scan_status::malformed;
    default:
      return begin_value(c, json);
  }
}

scan_status python_literal::begin_value(char c, std::string& json) {
  if (c == '"' || c == '\'') return begin_text(c, false, json);
  if (c != '{' && c != '[' && !is_json_scalar_character(c)) return scan_status::malformed;
  separate(json);
  if (c == '{' || c == '[') return nest(c, json);
  scalar_ = c;
  return go(state::scalar);
}

scan_status python_literal::begin_text(char quote, bool key, std::string& json) {
  separate(json);
  json += '"';
  quote_ = quote;
  in_key_ = key;
  return go(state::text);
}

// Before an item of a list and before a key, not before a dictionary's value.
void python_literal::separate(std::string& json) {
  if (open_.empty() || (open_.back().bracket == '{' && state_ == state::value)) return;
  if (open_.back().has_items) json += ", ";
  open_.back().has_items = true;
}

scan_status python_literal::nest(char c, std::string& json) {
  if (open_.size() >= max_depth_) return scan_status::malformed;
  open_.push_back({c, false});
  json += c;
  return go(c == '{' ? state::key_or_close : state::value_or_close);
}

scan_status python_literal::close(char c, std::string& json) {
  if ((c == '}') != (open_.back().bracket == '{')) return scan_status::malformed;
  open_.pop_back();
  json += c;
  return open_.empty() ? scan_status::complete : go(state::after_value);
}

}  // namespace neap::text
