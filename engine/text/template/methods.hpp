#pragma once
// Methods of values.

#include "engine/text/template/value.hpp"

#include <string>

namespace neap::text::jinja {

// A method of a string, dictionary or list, by name; undefined if there is none.
value bound_method(const value& x, const std::string& name);
value text_method_of(const tainted_string& text, const std::string& name);

}  // namespace neap::text::jinja
