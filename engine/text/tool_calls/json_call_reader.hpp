#pragma once
// A call as a JSON object: {"name": "f", "arguments": {...}}, or "parameters"; other members are skipped.

#include "engine/text/tool_calls/call_reader.hpp"
#include "engine/text/tool_calls/json_scanner.hpp"

namespace neap::text {

class json_call_reader : public call_reader {
 public:
  // `arguments_required`: an object without arguments is no call, where JSON can also be the answer itself.
  json_call_reader(std::size_t max_depth, bool arguments_required)
      : max_depth_(max_depth), arguments_required_(arguments_required), value_(max_depth) {}
  call_status push(char c) override;

 private:
  enum class state : std::uint8_t {
    begin,
    key_or_close,
    key,
    in_key,
    colon,
    before_value,
    value,
    after_value
  };
  enum class member : std::uint8_t { other, name, arguments };

  call_status go(state next);
  call_status push_key(char c);
  call_status end_key();
  call_status begin_value(char c);
  call_status push_value(char c);
  call_status after_value(char c);
  void end_value();
  call_status end_object();
  void start_if_known();

  std::size_t max_depth_;
  bool arguments_required_;
  state state_ = state::begin;
  member member_ = member::other;
  bool has_name_ = false;
  bool has_arguments_ = false;
  std::string key_;
  json_scanner value_;
};

}  // namespace neap::text
