#pragma once
// The marks around the calls of each format.

#include "engine/text/tool_calls/tool_call_format.hpp"

#include <string_view>

namespace neap::text {

struct tool_call_layout {
  std::string_view mark;  // opens calls wherever it stands; empty = none
  char bare_begin;        // opens calls at the beginning of an answer without the mark; 0 = nothing does
  char list_begin;        // stands before the first call; 0 = none
  std::string_view separators;  // between two calls
  bool separator_needed;        // else the next call may follow at once
  std::string_view close;       // after the last call; empty = nothing
  bool python;                  // calls as Python writes them, else JSON objects
};

// Null for the format none.
const tool_call_layout* layout_of(tool_call_format format);

}  // namespace neap::text
