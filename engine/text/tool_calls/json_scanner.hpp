#pragma once
// Follows one JSON value byte by byte and says where it ends. Nothing is built; depth is limited.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

enum class scan_status : std::uint8_t {
  open,             // the value goes on
  complete,         // it ended with this byte
  complete_before,  // it ended before this byte, which is not part of it (numbers, true, false, null)
  malformed,
};

// Blanks as JSON knows them.
bool is_json_blank(char c) noexcept;
// May be part of a number, true, false or null; digits are told from letters by is_json_number.
bool is_json_scalar_character(char c) noexcept;
bool is_json_number(std::string_view text) noexcept;

class json_scanner {
 public:
  explicit json_scanner(std::size_t max_depth) : max_depth_(max_depth) {}

  // One more byte. Not to be called after an answer other than open. Cost: constant.
  scan_status push(char c);

 private:
  enum class state : std::uint8_t {
    value,
    value_or_close,
    key,
    key_or_close,
    colon,
    after_value,
    text,
    escape,
    unicode,
    scalar
  };

  scan_status push_text(char c);
  scan_status push_scalar(char c);
  scan_status push_structure(char c);
  scan_status begin_value(char c);
  scan_status after_item(char c);
  scan_status nest(char c);
  scan_status close(char c);
  scan_status go(state next);

  std::size_t max_depth_;
  state state_ = state::value;
  bool in_key_ = false;
  int hex_digits_left_ = 0;
  std::string scalar_;
  std::vector<char> open_;  // '{' and '[' around the current place
};

}  // namespace neap::text
