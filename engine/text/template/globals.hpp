#pragma once
// Functions every template can call.

#include "engine/text/template/interpreter.hpp"

#include <cstdint>

namespace neap::text::jinja {

// range, namespace, dict, raise_exception, strftime_now.
void add_globals(interpreter& in, std::int64_t now_unix_seconds);

}  // namespace neap::text::jinja
