#include "server/http/body_decoder.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace neap::http {
namespace {

error too_large(const limits& within) {
  return {error_code::content_too_large,
          "the body is larger than " + std::to_string(within.body_bytes) + " bytes",
          {}};
}

// Digits only (check_framing), and few enough (Beast): what does not fit is too large anyway.
std::uint64_t content_length(const request_head& head) {
  const auto text = head.value("content-length");
  std::uint64_t length = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), length);
  return parsed.ec == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : length;
}

}  // namespace

body_decoder::body_decoder(const request_head& head, const limits& within)
    : chunked_(head.count("transfer-encoding") > 0), chunks_(within) {
  if (!chunked_) left_ = content_length(head);
}

result<std::size_t> body_decoder::feed(std::string_view input, std::string& body) {
  if (chunked_) return chunks_.feed(input, body);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  body.append(input.substr(0, count));
  left_ -= count;
  return count;
}

result<void> check_length(const request_head& head, const limits& within) {
  if (content_length(head) > within.body_bytes) return too_large(within);
  return {};
}

}  // namespace neap::http
