#include "server/http/head_scanner.hpp"

#include <string>

namespace neap::http {
namespace {

error bad(std::string message) { return {error_code::invalid_request, std::move(message), {}}; }

}  // namespace

result<std::size_t> head_scanner::scan(std::string_view received) {
  for (; seen_ < received.size(); ++seen_) {
    if (seen_ >= limit_) {
      return error{
          error_code::header_too_large, "the header is larger than " + std::to_string(limit_) + " bytes", {}};
    }
    const char c = received[seen_];
    if (seen_ == line_begin_ && seen_ > 0 && (c == ' ' || c == '\t')) {
      return bad("a header is folded over several lines");
    }
    if (c != '\n') continue;
    if (seen_ == line_begin_ || received[seen_ - 1] != '\r') return bad("a header line ends without CR LF");
    if (seen_ - line_begin_ == 1) {
      if (line_begin_ == 0) return bad("the request line is empty");
      return seen_ + 1;
    }
    line_begin_ = seen_ + 1;
  }
  return std::size_t{0};
}

}  // namespace neap::http
