#pragma once
// Python's two ways of formatting.

#include "engine/text/template/value.hpp"

namespace neap::text::jinja {

// pattern % right.
value format_percent(const tainted_string& pattern, const value& right);
// pattern.format(...) with {}, {0} and {name}.
tainted_string format_braces(const tainted_string& pattern, const arguments& given);

}  // namespace neap::text::jinja
