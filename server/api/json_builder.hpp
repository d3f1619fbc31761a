#pragma once
// Event handler for Boost.JSON's basic_parser that builds neap::json_value. Private to json_reader.cpp.

#include "messages/json_value.hpp"

#include <boost/json/basic_parser.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace neap::api {

class json_builder {
 public:
  // `most`: values that it takes.
  explicit json_builder(std::size_t most) : left_(most) {}

  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  using code = boost::json::error_code;
  using view = boost::json::string_view;

  bool on_document_begin(code&) { return true; }
  bool on_document_end(code&) { return true; }
  bool on_object_begin(code& ec) { return count(ec) && open({json_object{}}); }
  bool on_object_end(std::size_t, code& ec);
  bool on_array_begin(code& ec) { return count(ec) && open({json_array{}}); }
  bool on_array_end(std::size_t, code&) { return close(); }
  bool on_key_part(view part, std::size_t, code&) { return append(part); }
  bool on_key(view part, std::size_t, code&);
  bool on_string_part(view part, std::size_t, code&) { return append(part); }
  bool on_string(view part, std::size_t, code& ec);
  bool on_number_part(view, code&) { return true; }
  bool on_int64(std::int64_t number, view, code& ec) { return count(ec) && add(number); }
  bool on_uint64(std::uint64_t number, view, code& ec) {
    return count(ec) && add(static_cast<double>(number));
  }
  bool on_double(double number, view, code& ec);
  bool on_bool(bool value, code& ec) { return count(ec) && add(value); }
  bool on_null(code& ec) { return count(ec) && add(nullptr); }
  bool on_comment_part(view, code&) { return true; }
  bool on_comment(view, code&) { return true; }

  json_value take() { return std::move(root_); }
  // Why the handler itself stopped the parser; empty if it did not.
  const std::string& refusal() const noexcept { return refusal_; }
  // It stopped at the limit of values. / How many more it would have taken.
  bool is_full() const noexcept { return full_; }
  std::size_t left() const noexcept { return left_; }

 private:
  bool count(code& ec);
  template <class T>
  bool add(T&& data);
  bool open(json_value container);
  bool close();
  bool append(view part);
  bool refuse(std::string reason, code& ec);

  json_value root_;
  std::vector<json_value> open_;  // containers not yet closed, outermost first
  std::string text_;              // parts of the current key or string
  std::string refusal_;
  std::size_t left_;
  bool full_ = false;
};

}  // namespace neap::api
