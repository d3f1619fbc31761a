#pragma once
// Operators between values.

#include "engine/text/template/value.hpp"

#include <string>

namespace neap::text::jinja {

// Arithmetic and concatenation.
value binary_operation(const std::string& name, const value& left, const value& right);

}  // namespace neap::text::jinja
