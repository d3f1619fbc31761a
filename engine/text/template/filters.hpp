#pragma once
// x | filter(...).

#include "engine/text/template/value.hpp"

#include <string_view>

namespace neap::text::jinja {

class interpreter;

// The filter by name; null if there is none.
using filter_function = value (*)(interpreter& in, const value& x, const arguments& given);
filter_function find_filter(std::string_view name);

}  // namespace neap::text::jinja
