#pragma once
// Finds where a request's head ends, before anything parses it: only a whole head of a bounded size, made of
// proper lines, goes on. No Beast, no sockets.

#include "messages/result.hpp"

#include <cstddef>
#include <string_view>

namespace neap::http {

class head_scanner {
 public:
  // `limit`: bytes of the whole head, start line and the empty line at its end included.
  explicit head_scanner(std::size_t limit) : limit_(limit) {}

  // `received`: all bytes since the head's first; each call has the bytes of the last one and more behind
  // them. The head's size, or 0 while its end is not there. Errors: header_too_large; invalid_request for
  // folded lines (RFC 9112, 5.2), lines that end without CR, and an empty first line.
  result<std::size_t> scan(std::string_view received);

 private:
  std::size_t limit_;
  std::size_t seen_ = 0;        // bytes that were looked at
  std::size_t line_begin_ = 0;  // of the line that is not complete
};

}  // namespace neap::http
