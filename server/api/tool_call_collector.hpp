#pragma once
// Sorts the text of a chat answer into words and tool calls.

#include "engine/text/tool_calls/tool_call_parser.hpp"
#include "server/api/answer_form.hpp"

#include <string_view>

namespace neap::api {

class tool_call_collector {
 public:
  // `streams`: what was passed on cannot be taken back, so a call that turns out to be malformed stays half there, and
  // the answer ends without `tool_calls`. In a whole answer its text is given as the model wrote it.
  tool_call_collector(text::tool_call_format format, bool streams) : parser_(format), streams_(streams) {}

  // More of the answer's text; text and calls are added to `out`.
  void push(std::string_view text, finished_choice& out) { add(parser_.push(text), out); }
  // The end of the answer.
  void finish(finished_choice& out);

 private:
  void add(const std::vector<text::tool_call_event>& events, finished_choice& out);

  text::tool_call_parser parser_;
  bool streams_;
  bool complete_ = false;  // at least one call is
  bool failed_ = false;
};

}  // namespace neap::api
