#pragma once
// How a family of models writes tool calls into its answers.

#include <cstdint>
#include <optional>
#include <string_view>

namespace neap::text {

enum class tool_call_format : std::uint8_t {
  none,        // the answer is text
  hermes,      // <tool_call>{"name": ..., "arguments": {...}}</tool_call>, among text (Hermes, Qwen)
  llama_json,  // <|python_tag|>{...} among text, or an answer that is {"name": ..., "parameters": {...}}
               // alone
  mistral,     // [TOOL_CALLS][{"name": ..., "arguments": {...}}, ...] after text
  pythonic,    // an answer that begins with [name(key=value, ...), ...]
};

// The format that a chat template teaches its model, seen from the marks in its text; none where it knows no
// tools.
tool_call_format detect_tool_call_format(std::string_view template_source);

// "none", "hermes", "llama_json", "mistral", "pythonic".
std::optional<tool_call_format> find_tool_call_format(std::string_view name);
std::string_view to_string(tool_call_format format);

}  // namespace neap::text
