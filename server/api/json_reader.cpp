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

namespace {

// A key that stands twice, or null. Most objects are small, and compared without memory of their own.
const std::string* key_twice(const json_object& members) {
  constexpr std::size_t few = 8;
  if (members.size() <= few) {
    for (std::size_t i = 1; i < members.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (members[i].first == members[j].first) return &members[i].first;
    return nullptr;
  }
  std::vector<const std::string*> keys;
  keys.reserve(members.size());
  for (const auto& member : members) keys.push_back(&member.first);
  std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice = std::adjacent_find(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a == *b; });
  return twice == keys.end() ? nullptr : *twice;
}

}  // namespace

bool json_builder::count(code& ec) {
  full_ = left_ == 0;
  if (full_) return refuse("", ec);
  --left_;
  return true;
}

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

bool json_builder::on_string(view part, std::size_t, code& ec) {
  if (!count(ec)) return false;
  append(part);
  return add(std::exchange(text_, {}));
}

bool json_builder::on_double(double number, view, code& ec) {
  if (!std::isfinite(number)) return refuse("a number is too large", ec);
  return count(ec) && add(number);
}

bool json_builder::on_object_end(std::size_t, code& ec) {
  const auto* twice = key_twice(std::get<json_object>(open_.back().data));
  if (twice != nullptr) return refuse("the key " + quote(*twice) + " appears twice in one object", ec);
  return close();
}

namespace {

error invalid(std::string message) { return {error_code::invalid_json, std::move(message), {}}; }

error invalid(std::string_view what, std::size_t offset, std::string_view reason) {
  return invalid(std::string(what) + " is not valid JSON: " + std::string(reason) + " (byte " +
                 std::to_string(offset) + ")");
}

}  // namespace

result<json_value> parse_json(std::string_view text, std::string_view what) {
  json_budget whole;
  return parse_json(text, what, whole);
}

result<json_value> parse_json(std::string_view text, std::string_view what, json_budget& budget) {
  const std::string name(what);
  if (text.empty()) return invalid(name + " is empty; send a JSON object");
  if (!text::is_valid_utf8(text)) return invalid(name + " is not valid UTF-8; send JSON encoded as UTF-8");
  json::parse_options options;
  options.max_depth = json_depth_limit;
  json::basic_parser<json_builder> parser(options, budget.values);
  json::error_code ec;
  const auto used = parser.write_some(false, text.data(), text.size(), ec);
  budget.values = parser.handler().left();
  if (parser.handler().is_full()) {
    return error{error_code::invalid_request,
                 name + " has more than " + std::to_string(json_value_limit) + " JSON values; send less at once",
                 {}};
  }
  if (ec) {
    const auto& refusal = parser.handler().refusal();
    return invalid(what, used, refusal.empty() ? ec.message() : refusal);
  }
  if (used < text.size()) return invalid(what, used, "text after the end of the document");
  return parser.handler().take();
}

}  // namespace neap::api
