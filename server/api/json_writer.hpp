#pragma once
// Builds JSON text. The output is always valid JSON and valid UTF-8: broken bytes become U+FFFD. Line
// separators that some clients split on (U+2028, U+2029, U+0085) are escaped, so one event stays one line.

#include "messages/json_value.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace neap::api {

// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& out, std::string_view text);

// Values are written in order; commas are placed by the writer. The caller keeps begin/end and key/value
// balanced.
class json_writer {
 public:
  json_writer& begin_object() { return open('{'); }
  json_writer& end_object() { return close('}'); }
  json_writer& begin_array() { return open('['); }
  json_writer& end_array() { return close(']'); }
  json_writer& key(std::string_view name);

  json_writer& null();
  json_writer& string(std::string_view text);
  json_writer& boolean(bool value);
  json_writer& integer(std::int64_t value);
  // Shortest form that reads back the same; non-finite numbers become null.
  json_writer& number(double value);
  json_writer& real(float value);
  // Milliseconds with three decimals.
  json_writer& milliseconds(double value);
  json_writer& value(const json_value& document);
  // A value that is JSON text already.
  json_writer& json(std::string_view text) { return raw(text); }

  // key + value in one call.
  json_writer& field(std::string_view name, std::string_view text) { return key(name).string(text); }
  json_writer& field(std::string_view name, const char* text) { return key(name).string(text); }
  json_writer& field(std::string_view name, bool flag) { return key(name).boolean(flag); }
  json_writer& field(std::string_view name, std::integral auto count) {
    return key(name).integer(static_cast<std::int64_t>(count));
  }

  std::string take() { return std::move(out_); }

 private:
  json_writer& open(char bracket);
  json_writer& close(char bracket);
  json_writer& raw(std::string_view text);
  void separate();

  std::string out_;
  bool comma_ = false;  // a value was written before at this level
};

// The document as JSON text.
std::string to_json(const json_value& document);

}  // namespace neap::api
