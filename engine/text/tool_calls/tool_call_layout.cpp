#include "engine/text/tool_calls/tool_call_layout.hpp"

namespace neap::text {
namespace {

constexpr tool_call_layout hermes{"<tool_call>", 0, 0, "", true, "</tool_call>", false};
constexpr tool_call_layout llama_json{"<|python_tag|>", '{', 0, ";", false, "", false};
constexpr tool_call_layout mistral{"[TOOL_CALLS]", 0, '[', ",", true, "]", false};
constexpr tool_call_layout pythonic{"", '[', '[', ",", true, "]", true};

}  // namespace

const tool_call_layout* layout_of(tool_call_format format) {
  switch (format) {
    case tool_call_format::hermes:
      return &hermes;
    case tool_call_format::llama_json:
      return &llama_json;
    case tool_call_format::mistral:
      return &mistral;
    case tool_call_format::pythonic:
      return &pythonic;
    default:
      return nullptr;
  }
}

}  // namespace neap::text
