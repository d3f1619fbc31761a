#include "engine/text/tool_calls/json_scanner.hpp"

namespace neap::text {
namespace {

constexpr std::size_t max_scalar_bytes = 400;  // more digits than any double needs

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t skip_digits(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

}  // namespace

bool is_json_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_json_scalar_character(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

bool is_json_number(std::string_view text) noexcept {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto whole = skip_digits(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const auto end = skip_digits(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const auto end = skip_digits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

scan_status json_scanner::go(state next) {
  state_ = next;
  return scan_status::open;
}

scan_status json_scanner::push(char c) {
  switch (state_) {
    case state::text:
    case state::escape:
    case state::unicode:
      return push_text(c);
    case state::scalar:
      return push_scalar(c);
    default:
      return push_structure(c);
  }
}

scan_status json_scanner::push_text(char c) {
  if (state_ == state::escape) {
    hex_digits_left_ = 4;
    if (c == 'u') return go(state::unicode);
    return std::string_view{"\"\\/bfnrt"}.find(c) == std::string_view::npos ? scan_status::malformed
                                                                            : go(state::text);
  }
  if (state_ == state::unicode) {
    if (!is_hex(c)) return scan_status::malformed;
    return --hex_digits_left_ == 0 ? go(state::text) : scan_status::open;
  }
  if (c == '\\') return go(state::escape);
  if (static_cast<unsigned char>(c) < 0x20) return scan_status::malformed;
  if (c != '"') return scan_status::open;
  if (open_.empty()) return scan_status::complete;
  return go(in_key_ ? state::colon : state::after_value);
}

scan_status json_scanner::push_scalar(char c) {
  if (is_json_scalar_character(c)) {
    scalar_ += c;
    return scalar_.size() > max_scalar_bytes ? scan_status::malformed : scan_status::open;
  }
  if (scalar_ != "true" && scalar_ != "false" && scalar_ != "null" && !is_json_number(scalar_))
    return scan_status::malformed;
  if (open_.empty()) return scan_status::complete_before;
  state_ = state::after_value;
  return push_structure(c);
}

scan_status json_scanner::push_structure(char c) {
  if (is_json_blank(c)) return scan_status::open;
  switch (state_) {
    case state::value_or_close:
      return c == ']' ? close(c) : begin_value(c);
    case state::key_or_close:
    case state::key:
      if (c == '}' && state_ == state::key_or_close) return close(c);
      in_key_ = true;
      return c == '"' ? go(state::text) : scan_status::malformed;
    case state::colon:
      return c == ':' ? go(state::value) : scan_status::malformed;
    case state::after_value:
      return after_item(c);
    default:
      return begin_value(c);
  }
}

scan_status json_scanner::begin_value(char c) {
  if (c == '{' || c == '[') return nest(c);
  in_key_ = false;
  if (c == '"') return go(state::text);
  if (!is_json_scalar_character(c)) return scan_status::malformed;
  scalar_ = c;
  return go(state::scalar);
}

scan_status json_scanner::nest(char c) {
  if (open_.size() >= max_depth_) return scan_status::malformed;
  open_.push_back(c);
  return go(c == '{' ? state::key_or_close : state::value_or_close);
}

scan_status json_scanner::after_item(char c) {
  if (c == ',') return go(open_.back() == '{' ? state::key : state::value);
  return c == '}' || c == ']' ? close(c) : scan_status::malformed;
}

scan_status json_scanner::close(char c) {
  if ((c == '}') != (open_.back() == '{')) return scan_status::malformed;
  open_.pop_back();
  return open_.empty() ? scan_status::complete : go(state::after_value);
}

}  // namespace neap::text
