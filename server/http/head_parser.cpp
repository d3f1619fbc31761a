#include "server/http/head_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>

namespace neap::http {

namespace beast_http = boost::beast::http;

namespace {

using parser = beast_http::request_parser<beast_http::empty_body>;

std::string to_string(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string lower_case(boost::beast::string_view text) {
  std::string out = to_string(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

request_head copy_head(const parser& input) {
  const auto& message = input.get();
  request_head head;
  head.method = to_string(message.method_string());
  head.target = to_string(message.target());
  head.version = static_cast<int>(message.version());
  head.keep_alive = input.keep_alive();
  for (const auto& field : message) {
    head.fields.push_back({lower_case(field.name_string()), to_string(field.value())});
  }
  return head;
}

}  // namespace

result<request_head> parse_head(std::string_view bytes) {
  parser input;
  input.header_limit(std::numeric_limits<std::uint32_t>::max());  // the scanner's business
  input.body_limit(boost::none);                                  // the body decoder's
  boost::system::error_code failure;
  input.put(boost::asio::buffer(bytes), failure);
  if (!failure && !input.is_header_done()) failure = beast_http::error::need_more;
  if (failure) {
    return error{error_code::invalid_request, "this is not valid HTTP/1.1: " + failure.message(), {}};
  }
  return copy_head(input);
}

}  // namespace neap::http
