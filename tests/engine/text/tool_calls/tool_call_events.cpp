#include "tests/engine/text/tool_calls/tool_call_events.hpp"

#include <gtest/gtest.h>

namespace neap::test {

using kind = text::tool_call_event::kind;

std::vector<text::tool_call_event> read_calls(text::tool_call_format format,
                                              const std::vector<std::string>& pieces,
                                              const text::tool_call_limits& limits) {
  text::tool_call_parser parser{format, limits};
  std::vector<text::tool_call_event> all;
  const auto add = [&all](const std::vector<text::tool_call_event>& events) {
    for (const auto& event : events) {
      const bool joins = event.what == kind::text || event.what == kind::arguments;
      if (joins && !all.empty() && all.back().what == event.what)
        all.back().text += event.text;
      else
        all.push_back(event);
    }
  };
  for (const auto& piece : pieces) add(parser.push(piece));
  add(parser.finish());
  return all;
}

std::string spell(const std::vector<text::tool_call_event>& events) {
  std::string out;
  std::uint32_t next = 0;
  for (const auto& event : events) {
    if (event.what == kind::text) {
      out += "T(" + event.text + ")";
      continue;
    }
    if (event.what == kind::call_started) ++next;
    EXPECT_EQ(event.call + 1, next);
    if (event.what == kind::call_started) out += "S(" + event.text + ")";
    if (event.what == kind::arguments) out += "A(" + event.text + ")";
    if (event.what == kind::call_ended) out += "E";
    if (event.what == kind::call_failed) out += "F(" + event.text + ")";
  }
  return out;
}

std::string spell_calls(text::tool_call_format format, std::string_view answer,
                        const text::tool_call_limits& limits) {
  std::vector<std::string> bytes;
  for (const char c : answer) bytes.emplace_back(1, c);
  return spell(read_calls(format, bytes, limits));
}

}  // namespace neap::test
