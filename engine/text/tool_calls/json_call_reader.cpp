#include "engine/text/tool_calls/json_call_reader.hpp"

namespace neap::text {
namespace {

constexpr std::size_t max_key_bytes = 256;

}  // namespace

bool is_function_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"_-.:/"}.find(c) != std::string_view::npos;
}

call_status json_call_reader::go(state next) {
  state_ = next;
  return call_status::open;
}

call_status json_call_reader::push(char c) {
  if (state_ == state::in_key) return push_key(c);
  if (state_ == state::value) return push_value(c);
  if (state_ != state::begin && is_json_blank(c)) return call_status::open;
  switch (state_) {
    case state::begin:
      return c == '{' ? go(state::key_or_close) : call_status::malformed;
    case state::key_or_close:
    case state::key:
      if (c == '}' && state_ == state::key_or_close) return end_object();
      key_.clear();
      return c == '"' ? go(state::in_key) : call_status::malformed;
    case state::colon:
      return c == ':' ? go(state::before_value) : call_status::malformed;
    case state::before_value:
      return begin_value(c);
    default:
      return after_value(c);
  }
}

// Keys with escapes are of no member that is known here.
call_status json_call_reader::push_key(char c) {
  if (c == '"') return end_key();
  if (c == '\\' || static_cast<unsigned char>(c) < 0x20 || key_.size() == max_key_bytes)
    return call_status::malformed;
  key_ += c;
  return call_status::open;
}

call_status json_call_reader::end_key() {
  member_ = key_ == "name"                                ? member::name
            : key_ == "arguments" || key_ == "parameters" ? member::arguments
                                                          : member::other;
  const bool again =
      (member_ == member::name && has_name_) || (member_ == member::arguments && has_arguments_);
  return again ? call_status::malformed : go(state::colon);
}

call_status json_call_reader::begin_value(char c) {
  if ((member_ == member::name && c != '"') || (member_ == member::arguments && c != '{'))
    return call_status::malformed;
  has_name_ = has_name_ || member_ == member::name;
  has_arguments_ = has_arguments_ || member_ == member::arguments;
  value_ = json_scanner{max_depth_};
  state_ = state::value;
  start_if_known();
  if (member_ != member::name) return push_value(c);
  value_.push(c);
  return call_status::open;
}

call_status json_call_reader::push_value(char c) {
  const auto status = value_.push(c);
  if (status == scan_status::malformed) return call_status::malformed;
  if (status == scan_status::complete_before) {
    end_value();
    return push(c);
  }
  if (member_ == member::arguments) progress_.arguments += c;
  if (status == scan_status::complete) {
    if (member_ == member::name && progress_.name.empty()) return call_status::malformed;
    end_value();
  } else if (member_ == member::name) {
    if (!is_function_name_character(c) || progress_.name.size() == max_function_name_bytes)
      return call_status::malformed;
    progress_.name += c;
  }
  return call_status::open;
}

void json_call_reader::end_value() {
  state_ = state::after_value;
  start_if_known();
}

// The arguments tell a call from an object that merely has a name.
void json_call_reader::start_if_known() {
  const bool name_known = has_name_ && !(state_ == state::value && member_ == member::name);
  progress_.started = progress_.started || (name_known && has_arguments_);
}

call_status json_call_reader::after_value(char c) {
  if (c == ',') return go(state::key);
  return c == '}' ? end_object() : call_status::malformed;
}

call_status json_call_reader::end_object() {
  if (!has_name_ || (!has_arguments_ && arguments_required_)) return call_status::malformed;
  if (!has_arguments_) progress_.arguments = "{}";
  progress_.started = true;
  return call_status::complete;
}

}  // namespace neap::text
