#include "server/api/logprob_writer.hpp"

#include "engine/text/utf8.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace neap::api {
namespace {

std::string shown(const std::string& bytes) {
  if (text::is_valid_utf8(bytes)) return bytes;
  std::string out = "bytes:";
  for (const char c : bytes) {
    std::array<char, 8> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "\\x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += buffer.data();
  }
  return out;
}

void write_logprob(json_writer& out, const scored_text& x) {
  if (x.logprob) {
    out.real(*x.logprob);
  } else {
    out.null();
  }
}

// Without its end, so that more members can follow.
json_writer& begin_token(json_writer& out, const scored_text& x) {
  out.begin_object().field("token", shown(x.bytes)).key("logprob");
  write_logprob(out, x);
  out.key("bytes").begin_array();
  for (const char c : x.bytes) out.integer(static_cast<unsigned char>(c));
  return out.end_array();
}

void write_alternatives(json_writer& out, const scored_token& x) {
  if (!x.token.logprob) {
    out.null();
    return;
  }
  out.begin_object();
  bool has_token = false;
  for (const auto& each : x.top) {
    has_token = has_token || each.bytes == x.token.bytes;
    out.key(shown(each.bytes)).real(*each.logprob);
  }
  if (!has_token) out.key(shown(x.token.bytes)).real(*x.token.logprob);
  out.end_object();
}

}  // namespace

void write_chat_logprobs(json_writer& out, std::span<const scored_token> scores) {
  out.begin_object().key("content").begin_array();
  for (const auto& each : scores) {
    begin_token(out, each.token).key("top_logprobs").begin_array();
    for (const auto& other : each.top) begin_token(out, other).end_object();
    out.end_array().end_object();
  }
  out.end_array().key("refusal").null().end_object();
}

void write_completion_logprobs(json_writer& out, std::span<const scored_token> scores) {
  out.begin_object().key("tokens").begin_array();
  for (const auto& each : scores) out.string(shown(each.token.bytes));
  out.end_array().key("token_logprobs").begin_array();
  for (const auto& each : scores) write_logprob(out, each.token);
  out.end_array().key("top_logprobs").begin_array();
  for (const auto& each : scores) write_alternatives(out, each);
  out.end_array().key("text_offset").begin_array();
  for (const auto& each : scores) out.integer(static_cast<std::int64_t>(each.text_offset));
  out.end_array().end_object();
}

}  // namespace neap::api
