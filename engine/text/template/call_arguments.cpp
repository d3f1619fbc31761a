#include "engine/text/template/call_arguments.hpp"

namespace neap::text::jinja {

value argument(const arguments& given, std::size_t position, std::string_view name, value fallback) {
  if (position < given.positional.size()) return given.positional[position];
  for (const auto& [key, x] : given.named)
    if (key == name) return x;
  return fallback;
}

std::int64_t optional_integer(const arguments& given, std::size_t position, std::string_view name,
                              std::int64_t fallback) {
  return argument(given, position, name, fallback).integer().value_or(fallback);
}

}  // namespace neap::text::jinja
