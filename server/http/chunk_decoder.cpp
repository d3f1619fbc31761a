#include "server/http/body_decoder.hpp"

#include <algorithm>
#include <charconv>

namespace neap::http {
namespace {

constexpr std::size_t most_size_digits = 16;  // leading zeros included

error bad(std::string message) { return {error_code::invalid_request, std::move(message), {}}; }

bool is_token(std::string_view text) {
  static constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

// No control characters but the tab.
bool is_field_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

bool is_extension(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return text.empty() || (first != std::string_view::npos && text[first] == ';' && is_field_text(text));
}

bool is_trailer(std::string_view line) {
  const auto colon = line.find(':');
  return colon != std::string_view::npos && is_token(line.substr(0, colon)) && is_field_text(line);
}

}  // namespace

result<std::size_t> chunk_decoder::feed(std::string_view input, std::string& body) {
  std::size_t used = 0;
  while (used < input.size() && state_ != state::done) {
    const auto rest = input.substr(used);
    std::size_t count = 0;
    if (state_ == state::data) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
      body.append(rest.substr(0, count));
      left_ -= count;
      if (left_ == 0) state_ = state::data_end;
    } else {
      const auto taken = take_line(rest);
      if (!taken) return taken.error();
      count = *taken;
    }
    used += count;
    taken_ += count;
    if (taken_ > limits_.body_bytes) {
      return error{error_code::content_too_large,
                   "the chunked body is larger than " + std::to_string(limits_.body_bytes) + " bytes",
                   {}};
    }
  }
  return used;
}

// Adds to the line, and ends it if its end is there.
result<std::size_t> chunk_decoder::take_line(std::string_view input) {
  const auto newline = input.find('\n');
  const bool ends = newline != std::string_view::npos;
  const auto count = ends ? newline + 1 : input.size();
  const auto limit = line_limit();
  if (line_.size() + count > limit || (!ends && line_.size() + count == limit)) {
    if (state_ == state::data_end) return bad("a chunk is longer than its size says");
    if (state_ == state::size_line) return bad("the line of a chunk's size is too long");
    return error{error_code::header_too_large,
                 "the trailers are larger than " + std::to_string(limits_.header_bytes) + " bytes",
                 {}};
  }
  line_.append(input.substr(0, count));
  if (!ends) return count;
  if (auto ended = end_line(); !ended) return ended.error();
  line_.clear();
  return count;
}

std::size_t chunk_decoder::line_limit() const noexcept {
  switch (state_) {
    case state::size_line:
      return limits_.chunk_line_bytes;
    case state::trailer:
      return limits_.header_bytes - trailer_bytes_;
    default:
      return 2;
  }
}

result<void> chunk_decoder::end_line() {
  if (!line_.ends_with("\r\n")) return bad("a line of the chunked body ends without CR LF");
  if (state_ == state::size_line) return end_size_line();
  const auto line = std::string_view(line_).substr(0, line_.size() - 2);
  if (state_ == state::data_end) {
    if (!line.empty()) return bad("a chunk is longer than its size says");
    state_ = state::size_line;
    return {};
  }
  trailer_bytes_ += line_.size();
  if (line.empty()) {
    state_ = state::done;
  } else if (!is_trailer(line)) {
    return bad("a trailer of the chunked body is not a header field");
  }
  return {};
}

result<void> chunk_decoder::end_size_line() {
  const auto line = std::string_view(line_).substr(0, line_.size() - 2);
  const auto digits = std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  if (digits == 0 || digits > most_size_digits || !is_extension(line.substr(digits))) {
    return bad("a chunk's size is not a hexadecimal number");
  }
  std::from_chars(line.data(), line.data() + digits, left_, 16);
  if (left_ > limits_.body_bytes) {
    return error{error_code::content_too_large,
                 "a chunk is larger than " + std::to_string(limits_.body_bytes) + " bytes",
                 {}};
  }
  state_ = left_ == 0 ? state::trailer : state::data;
  return {};
}

}  // namespace neap::http
