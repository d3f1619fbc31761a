#pragma once
// The bytes behind a head -> the body, for both framings. Every part of the framing is bounded. No sockets.

#include "messages/result.hpp"
#include "server/http/http_message.hpp"
#include "server/http/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace neap::http {

// A chunked body (RFC 9112, 7.1). Chunk extensions and trailer fields are checked for their form and dropped.
class chunk_decoder {
 public:
  explicit chunk_decoder(const limits& within) : limits_(within) {}

  // Takes bytes off the front of `input`, appends the body's to `body`, returns how many it took: all, unless
  // the body ended before. Errors end the connection: content_too_large when data and framing together pass
  // the body's limit, header_too_large for the trailers, invalid_request.
  result<std::size_t> feed(std::string_view input, std::string& body);

  bool done() const noexcept { return state_ == state::done; }

 private:
  enum class state : std::uint8_t { size_line, data, data_end, trailer, done };

  result<std::size_t> take_line(std::string_view input);
  result<void> end_line();
  result<void> end_size_line();
  std::size_t line_limit() const noexcept;

  limits limits_;
  state state_ = state::size_line;
  std::string line_;               // the line that is not complete
  std::uint64_t left_ = 0;         // data of this chunk
  std::size_t taken_ = 0;          // data and framing
  std::size_t trailer_bytes_ = 0;  // of complete trailer lines
};

// A body of whatever framing the head says; the head passed check_framing() and check_length().
class body_decoder {
 public:
  body_decoder(const request_head& head, const limits& within);

  // As chunk_decoder::feed.
  result<std::size_t> feed(std::string_view input, std::string& body);

  bool done() const noexcept { return chunked_ ? chunks_.done() : left_ == 0; }

 private:
  bool chunked_;
  chunk_decoder chunks_;
  std::uint64_t left_ = 0;  // of a Content-Length
};

// Refuses a Content-Length over the limit: content_too_large.
result<void> check_length(const request_head& head, const limits& within);

}  // namespace neap::http
