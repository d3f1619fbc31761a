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

std::string_view to_string(finish_reason reason) {
  return reason == finish_reason::length ? "length" : "stop";
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
    : options_(std::move(options)),
      id_(make_id(options_.endpoint == endpoint::chat, created, id)),
      model_(std::move(model)),
      created_(created) {}

json_writer answer_writer::begin(std::string_view chat_object) const {
  json_writer out;
  out.begin_object().field("id", id_).field("object", chat() ? chat_object : "text_completion");
  out.field("created", created_).field("model", model_);
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

void answer_writer::write_choice(json_writer& out, std::uint32_t index, const finished_choice& choice) const {
  out.begin_object().field("index", index);
  if (chat()) {
    out.key("message").begin_object().field("role", "assistant").field("content", choice.text);
    out.key("refusal").null().end_object();
  } else {
    out.field("text", choice.text);
  }
  write_logprobs(out, choice.scores);
  out.field("finish_reason", to_string(choice.reason));
  write_tokens(out, choice.tokens);
  out.end_object();
}

std::string answer_writer::whole(std::span<const finished_choice> choices,
                                 const stream_summary& summary) const {
  auto out = begin("chat.completion");
  out.key("choices").begin_array();
  for (std::uint32_t i = 0; i < choices.size(); ++i) write_choice(out, i, choices[i]);
  out.end_array();
  write_usage(out, summary.usage);
  write_summary(out, summary, options_.ignored_fields);
  return out.end_object().take();
}

std::string answer_writer::first_event(std::uint32_t choice) const {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().begin_object().field("index", choice);
  out.key("delta").begin_object().field("role", "assistant").field("content", "").end_object();
  out.key("logprobs").null().key("finish_reason").null().end_object().end_array();
  return out.end_object().take();
}

std::string answer_writer::delta_event(const stream_delta& delta) const {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().begin_object().field("index", delta.choice);
  if (chat()) {
    out.key("delta").begin_object().field("content", delta.text).end_object();
  } else {
    out.field("text", delta.text);
  }
  if (delta.scores.empty()) {
    out.key("logprobs").null();
  } else {
    write_logprobs(out, delta.scores);
  }
  out.key("finish_reason").null();
  write_tokens(out, delta.tokens);
  return out.end_object().end_array().end_object().take();
}

std::string answer_writer::finish_event(std::uint32_t choice, finish_reason reason,
                                        const stream_summary* summary) const {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().begin_object().field("index", choice);
  if (chat()) {
    out.key("delta").begin_object().end_object();
  } else {
    out.field("text", "");
  }
  out.key("logprobs").null().field("finish_reason", to_string(reason));
  out.end_object().end_array();
  if (summary != nullptr) write_summary(out, *summary, options_.ignored_fields);
  return out.end_object().take();
}

std::string answer_writer::usage_event(const stream_summary& summary) const {
  auto out = begin("chat.completion.chunk");
  out.key("choices").begin_array().end_array();
  write_usage(out, summary.usage);
  write_summary(out, summary, options_.ignored_fields);
  return out.end_object().take();
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
