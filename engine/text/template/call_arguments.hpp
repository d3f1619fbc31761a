#pragma once
// What a call was given.

#include "engine/text/template/value.hpp"

#include <cstdint>
#include <string_view>

namespace neap::text::jinja {

// An argument by position or name; `fallback` if it was not given.
value argument(const arguments& given, std::size_t position, std::string_view name, value fallback = {});

// An optional integer argument.
std::int64_t optional_integer(const arguments& given, std::size_t position, std::string_view name,
                              std::int64_t fallback);

}  // namespace neap::text::jinja
