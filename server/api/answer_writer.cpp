#include "server/api/answer_writer.hpp"

#include "server/api/logprob_writer.hpp"
#include "server/api/summary_writer.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace neap::api {
namespace {

std::string make_id(bool chat, std::int64_t created, request_id id) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%s-%llx-%llx", chat ? "chatcmpl" : "cmpl",
                static_cast<unsigned long long>(created), static_cast<unsigned long long>(id));
  return buffer.data();
}

std::string_view reason_of(const finished_choice& choice) {
  if (choice.reason == finish_reason::length) return "length";
  return choice.ends_with_calls ? "tool_calls" : "stop";
}

void write_usage(json_writer& out, const token_usage& usage) {
  out.key("usage").begin_object();
  out.field("prompt_tokens", usage.prompt_tokens);
  out.field("completion_tokens", usage.completion_tokens);
  out.field("total_tokens", usage.prompt_tokens + usage.completion_tokens);
  out.key("prompt_tokens_details").begin_object().field("cached_tokens", usage.cached_tokens).end_object();
  out.end_object();
}

}  // namespace

answer_writer::answer_writer(answer_options options, request_id id, std::string model, std::int64_t created)
    : answer_form(std::move(options)),
      id_(make_id(options_.endpoint == endpoint::chat, created, id)),
      model_(std::move(model)),
      created_(created) {}

json_writer answer_writer::begin(std::string_view chat_object) const {
  json_writer out;
  out.begin_object().field("id", id_).field("object", chat() ? chat_object : "text_completion");
  out.field("created", created_).field("model", model_);
  out.field("system_fingerprint", options_.fingerprint);
  if (!options_.service_tier.empty()) out.field("service_tier", options_.service_tier);
  return out;
}

void answer_writer::write_tokens(json_writer& out, const std::vector<token_id>& tokens) const {
  if (!options_.return_token_ids) return;
  out.key("token_ids").begin_array();
  for (const auto id : tokens) out.integer(id);
  out.end_array();
}

void answer_writer::write_logprobs(json_writer& out, std::span<const scored_token> scores) const {
  out.key("logprobs");
  if (!options_.logprobs) {
    out.null();
  } else if (chat()) {
    write_chat_logprobs(out, scores);
  } else {
    write_completion_logprobs(out, scores);
  }
}

// A call begins with its id and name; more of its arguments need its index alone.
void answer_writer::write_call(json_writer& out, std::uint32_t choice, const tool_call& call) const {
  out.begin_object();
  if (options_.stream) out.field("index", call.index);
  if (!call.name.empty()) {
    out.field("id", "call_" + id_ + "-" + std::to_string(choice) + "-" + std::to_string(call.index));
    out.field("type", "function");
  }
  out.key("function").begin_object();
  if (!call.name.empty()) out.field("name", call.name);
  out.field("arguments", call.arguments).end_object().end_object();
}

void answer_writer::write_choice(json_writer& out, std::uint32_t index, const finished_choice& choice) const {
  out.begin_object().field("index", index);
  if (chat()) {
    out.key("message").begin_object().field("role", "assistant").key("content");
    choice.text.empty() && !choice.calls.empty() ? out.null() : out.string(choice.text);
    if (!choice.calls.empty()) {
      out.key("tool_calls").begin_array();
      for (const auto& call : choice.calls) write_call(out, index, call);
      out.end_array();
    }
    out.key("refusal").null().end_object();
  } else {
    out.field("text", choice.text);
  }
  write_logprobs(out, choice.scores);
  out.field("finish_reason", reason_of(choice));
  write_tokens(out, choice.tokens);
  out.end_object();
}

std::string answer_writer::whole(std::span<const finished_choice> choices, const stream_summary& summary) {
  auto out = begin("chat.completion");
  out.key("choices").begin_array();
  for (std::uint32_t i = 0; i < choices.size(); ++i) write_choice(out, i, choices[i]);
  out.end_array();
  write_usage(out, summary.usage);
  write_summary(out, summary, options_.ignored_fields);
  return out.end_object().take();
}

std::vector<std::string> answer_writer::begin_events(std::uint32_t choices) {
  std::vector<std::string> events;
  for (std::uint32_t i = 0; chat() && i < choices; ++i) {
    auto out = begin("chat.completion.chunk");
    out.key("choices").begin_array().begin_object().field("index", i);
    out.key("delta").begin_object().field("role", "assistant").field("content", "").end_object();
    out.key("logprobs").null().key("finish_reason").null().end_object().end_array();
    events.push_back(out.end_object().take());
  }
  return events;
}

void answer_writer::write_delta(json_writer& out, std::uint32_t choice, const finished_choice& piece) const {
  if (!chat()) {
    out.field("text", piece.text);
    return;
  }
  out.key("delta").begin_object();
  if (!piece.text.empty() || piece.calls.empty()) out.field("content", piece.text);
  if (!piece.calls.empty()) {
    out.key("tool_calls").begin_array();
    for (const auto& call : piece.calls) write_call(out, choice, call);
    out.end_array();
  }
  out.end_object();
}

std::vector<std::string> answer_writer::piece_events(std::uint32_t choice, const finished_choice& piece) {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().begin_object().field("index", choice);
  write_delta(out, choice, piece);
  if (piece.scores.empty()) {
    out.key("logprobs").null();
  } else {
    write_logprobs(out, piece.scores);
  }
  out.key("finish_reason").null();
  write_tokens(out, piece.tokens);
  return {out.end_object().end_array().end_object().take()};
}

std::vector<std::string> answer_writer::finish_events(std::uint32_t choice, const finished_choice& end,
                                                      const stream_summary* summary) {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().begin_object().field("index", choice);
  if (chat()) {
    out.key("delta").begin_object().end_object();
  } else {
    out.field("text", "");
  }
  out.key("logprobs").null().field("finish_reason", reason_of(end));
  out.end_object().end_array();
  if (summary != nullptr) write_summary(out, *summary, options_.ignored_fields);
  return {out.end_object().take()};
}

std::vector<std::string> answer_writer::usage_events(const stream_summary& summary) {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().end_array();
  write_usage(out, summary.usage);
  write_summary(out, summary, options_.ignored_fields);
  return {out.end_object().take()};
}

std::string error_body(const error& fault) {
  json_writer out;
  out.begin_object().key("error").begin_object();
  out.field("message", fault.message).field("type", error_type(fault.code)).key("param");
  if (fault.param.empty()) {
    out.null();
  } else {
    out.string(fault.param);
  }
  return out.field("code", error_name(fault.code)).end_object().end_object().take();
}

}  // namespace neap::api
