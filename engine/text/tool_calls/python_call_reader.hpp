#pragma once
// A call as Python writes it, name(key=value, ...), with literal values; its arguments come out as JSON.

#include "engine/text/tool_calls/call_reader.hpp"
#include "engine/text/tool_calls/python_literal.hpp"

#include <unordered_set>

namespace neap::text {

class python_call_reader : public call_reader {
 public:
  explicit python_call_reader(std::size_t max_depth) : max_depth_(max_depth), value_(max_depth) {}
  call_status push(char c) override;

 private:
  enum class state : std::uint8_t {
    name,
    before_parenthesis,
    keyword_or_close,
    in_keyword,
    before_equals,
    value,
    after_value
  };

  call_status go(state next);
  call_status push_name(char c);
  call_status push_keyword(char c);
  call_status equals(char c);
  call_status push_value(char c);
  call_status after_value(char c);
  call_status close();

  std::size_t max_depth_;
  state state_ = state::name;
  std::string keyword_;
  std::unordered_set<std::string> keywords_;
  python_literal value_;
};

}  // namespace neap::text
