#include "engine/text/tool_calls/tool_call_format.hpp"

#include <array>
#include <utility>

namespace neap::text {
namespace {

constexpr std::array<std::pair<std::string_view, tool_call_format>, 5> names{{
    {"none", tool_call_format::none},
    {"hermes", tool_call_format::hermes},
    {"llama_json", tool_call_format::llama_json},
    {"mistral", tool_call_format::mistral},
    {"pythonic", tool_call_format::pythonic},
}};

// In this order: templates with a mark of their own first, those told by their instructions after them.
constexpr std::array<std::pair<std::string_view, tool_call_format>, 8> marks{{
    {"[TOOL_CALLS]", tool_call_format::mistral},
    {"<tool_call>", tool_call_format::hermes},
    {"[func_name1(params_name1=params_value1", tool_call_format::pythonic},
    {"[func1(params_name1=params_value1", tool_call_format::pythonic},
    {"<|python_start|>", tool_call_format::pythonic},
    {"<|python_tag|>", tool_call_format::llama_json},
    {R"({"name": function name, "parameters":)", tool_call_format::llama_json},
    {R"('"parameters": ')", tool_call_format::llama_json},
}};

}  // namespace

tool_call_format detect_tool_call_format(std::string_view template_source) {
  for (const auto& [mark, format] : marks)
    if (template_source.find(mark) != std::string_view::npos) return format;
  return tool_call_format::none;
}

std::optional<tool_call_format> find_tool_call_format(std::string_view name) {
  for (const auto& [candidate, format] : names)
    if (candidate == name) return format;
  return std::nullopt;
}

std::string_view to_string(tool_call_format format) {
  for (const auto& [name, candidate] : names)
    if (candidate == format) return name;
  return "none";
}

}  // namespace neap::text
