#pragma once
// x is test(...).

#include "engine/text/template/value.hpp"

#include <string_view>

namespace neap::text::jinja {

// The test by name; null if there is none.
using test_function = bool (*)(const value& x, const arguments& given);
test_function find_test(std::string_view name);

}  // namespace neap::text::jinja
