#include "server/api/json_reader.hpp"

#include "engine/text/utf8.hpp"
#include "server/api/json_builder.hpp"
#include "server/api/quote.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace neap::api {

namespace json = boost::json;

template <class T>
bool json_builder::add(T&& data) {
  json_value value;
  value.data = std::forward<T>(data);
  if (open_.empty()) {
    root_ = std::move(value);
  } else if (auto* array = std::get_if<json_array>(&open_.back().data)) {
    array->push_back(std::move(value));
  } else {
    std::get<json_object>(open_.back().data).back().second = std::move(value);
  }
  return true;
}

bool json_builder::open(json_value container) {
  open_.push_back(std::move(container));
  return true;
}

bool json_builder::close() {
  json_value done = std::move(open_.back());
  open_.pop_back();
  return add(std::move(done.data));
}

bool json_builder::append(view part) {
  text_.append(part.data(), part.size());
  return true;
}

bool json_builder::refuse(std::string reason, code& ec) {
  refusal_ = std::move(reason);
  ec = json::error::syntax;
  return false;
}

bool json_builder::on_key(view part, std::size_t, code&) {
  append(part);
  std::get<json_object>(open_.back().data).emplace_back(std::exchange(text_, {}), json_value{});
  return true;
}

bool json_builder::on_string(view part, std::size_t, code&) {
  append(part);
  return add(std::exchange(text_, {}));
}

bool json_builder::on_double(double number, view, code& ec) {
  if (!std::isfinite(number)) return refuse("a number is too large", ec);
  return add(number);
}

bool json_builder::on_object_end(std::size_t, code& ec) {
  const auto& members = std::get<json_object>(open_.back().data);
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const auto& member : members) keys.emplace_back(member.first);
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) return refuse("the key " + quote(*twice) + " appears twice in one object", ec);
  return close();
}

namespace {

error invalid(std::size_t offset, std::string_view reason) {
  return {error_code::invalid_json,
          "the body is not valid JSON: " + std::string(reason) + " (byte " + std::to_string(offset) + ")",
          {}};
}

}  // namespace

result<json_value> parse_json(std::string_view text) {
  if (text.empty()) return error{error_code::invalid_json, "the body is empty; send a JSON object", {}};
  if (!text::is_valid_utf8(text)) {
    return error{error_code::invalid_json, "the body is not valid UTF-8; send JSON encoded as UTF-8", {}};
  }
  json::parse_options options;
  options.max_depth = json_depth_limit;
  json::basic_parser<json_builder> parser(options);
  json::error_code ec;
  const auto used = parser.write_some(false, text.data(), text.size(), ec);
  if (ec) {
    const auto& refusal = parser.handler().refusal();
    return invalid(used, refusal.empty() ? ec.message() : refusal);
  }
  if (used < text.size()) return invalid(used, "text after the end of the document");
  return parser.handler().take();
}

}  // namespace neap::api
