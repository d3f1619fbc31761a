#pragma once
// JSON text as the plain values that the engine takes. Header-only; a test that uses it links Boost::json.

#include "messages/json_value.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace neap::test {

// Members keep the order of the text. Integers past 63 bits become floating point.
inline json_value from_boost(const boost::json::value& x) {
  switch (x.kind()) {
    case boost::json::kind::bool_:
      return {x.get_bool()};
    case boost::json::kind::int64:
      return {x.get_int64()};
    case boost::json::kind::uint64:
      return {static_cast<double>(x.get_uint64())};
    case boost::json::kind::double_:
      return {x.get_double()};
    case boost::json::kind::string:
      return {std::string{x.get_string()}};
    case boost::json::kind::array: {
      json_array out;
      for (const auto& item : x.get_array()) out.push_back(from_boost(item));
      return {std::move(out)};
    }
    case boost::json::kind::object: {
      json_object out;
      for (const auto& [key, item] : x.get_object()) out.emplace_back(std::string{key}, from_boost(item));
      return {std::move(out)};
    }
    case boost::json::kind::null:
      break;
  }
  return {};
}

// Throws on broken JSON, which fails the test.
inline json_value parse_json(std::string_view text) { return from_boost(boost::json::parse(text)); }

}  // namespace neap::test
