#pragma once
// Translates one Python literal to JSON byte by byte: strings, numbers, True, False, None, lists and
// dictionaries with string keys.

#include "engine/text/tool_calls/json_scanner.hpp"

#include <string>
#include <vector>

namespace neap::text {

class python_literal {
 public:
  explicit python_literal(std::size_t max_depth) : max_depth_(max_depth) {}

  // One more byte; appends what it makes known to `json`. Not to be called after an answer other than open.
  scan_status push(char c, std::string& json);

 private:
  enum class state : std::uint8_t {
    value,
    value_or_close,
    key_or_close,
    colon,
    after_value,
    text,
    escape,
    unicode,
    scalar
  };

  scan_status go(state next);
  scan_status push_text(char c, std::string& json);
  scan_status push_escape(char c, std::string& json);
  scan_status push_unicode(char c, std::string& json);
  scan_status push_scalar(char c, std::string& json);
  scan_status push_structure(char c, std::string& json);
  scan_status begin_value(char c, std::string& json);
  scan_status begin_text(char quote, bool key, std::string& json);
  scan_status nest(char c, std::string& json);
  scan_status close(char c, std::string& json);

  // One level of lists and dictionaries; a comma is written before an item, since Python allows one after
  // the last.
  struct level {
    char bracket;
    bool has_items;
  };
  void separate(std::string& json);

  std::size_t max_depth_;
  state state_ = state::value;
  char quote_ = '"';
  bool in_key_ = false;
  int hex_digits_left_ = 0;
  std::string scalar_;
  std::vector<level> open_;
};

}  // namespace neap::text
