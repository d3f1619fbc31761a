#pragma once
// The events of an answer in a form that is short to write down.

#include "engine/text/tool_calls/tool_call_parser.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::test {

// The events of a whole answer given in pieces; text and arguments joined.
std::vector<text::tool_call_event> read_calls(text::tool_call_format format,
                                              const std::vector<std::string>& pieces,
                                              const text::tool_call_limits& limits = {});

// T(...) text, S(name), A(arguments), E ended, F(source) failed; the number of a call is checked to rise by
// one.
std::string spell(const std::vector<text::tool_call_event>& events);

// The answer given byte by byte.
std::string spell_calls(text::tool_call_format format, std::string_view answer,
                        const text::tool_call_limits& limits = {});

}  // namespace neap::test
