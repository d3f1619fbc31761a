#pragma once
// Sampling options of a conversation; each has the name and the range of the API's field. Pure.

#include "messages/json_value.hpp"
#include "messages/result.hpp"
#include "server/api/json_writer.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace neap::chat {

struct setting_help {
  std::string_view name;  // "temperature"
  std::string_view unit;  // "NUMBER", "N", "TEXT", "BOOL"
  std::string_view help;
};

// All options, in the order in which help lists them.
std::span<const setting_help> all_settings();

class chat_settings {
 public:
  // Checks and keeps a value written as text; "default" takes the option back. Errors: invalid_request that
  // names the allowed range, or the options there are.
  result<void> set(const std::string& name, const std::string& text);

  bool has(const std::string& name) const { return values_.contains(name); }
  // The options that were set, as fields of a request.
  void write(api::json_writer& out) const;
  // One line "name value" for each option.
  std::string describe() const;

 private:
  std::map<std::string, json_value> values_;
};

}  // namespace neap::chat
