#include "server/api/response_writer.hpp"

#include "server/api/summary_writer.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace neap::api {
namespace {

std::string make_id(std::int64_t created, request_id id) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%llx_%llx", static_cast<unsigned long long>(created),
                static_cast<unsigned long long>(id));
  return buffer.data();
}

void write_usage(json_writer& out, const token_usage& usage) {
  out.key("usage").begin_object().field("input_tokens", usage.prompt_tokens);
  out.key("input_tokens_details").begin_object().field("cached_tokens", usage.cached_tokens).end_object();
  out.field("output_tokens", usage.completion_tokens);
  out.key("output_tokens_details").begin_object().field("reasoning_tokens", 0).end_object();
  out.field("total_tokens", usage.prompt_tokens + usage.completion_tokens).end_object();
}

}  // namespace

response_writer::response_writer(answer_options options, request_id id, std::string model, std::int64_t created)
    : answer_form(std::move(options)), id_(make_id(created, id)), model_(std::move(model)), created_(created) {}

std::string response_writer::item_id(std::size_t index) const {
  return (items_[index].is_call ? "fc_" : "msg_") + id_ + "_" + std::to_string(index);
}

void response_writer::write_part(json_writer& out, const std::string& text) const {
  out.begin_object().field("type", "output_text").field("text", text);
  out.key("annotations").begin_array().end_array().key("logprobs").begin_array().end_array().end_object();
}

std::string_view response_writer::name_of(item_status status) {
  switch (status) {
    case item_status::in_progress:
      return "in_progress";
    case item_status::completed:
      return "completed";
    case item_status::incomplete:
      return "incomplete";
  }
  return "";
}

// One in progress is announced, before its content.
void response_writer::write_item(json_writer& out, std::size_t index) const {
  const auto& it = items_[index];
  const bool empty = it.status == item_status::in_progress;
  out.begin_object().field("id", item_id(index)).field("status", name_of(it.status));
  if (it.is_call) {
    out.field("type", "function_call").field("call_id", "call_" + id_ + "_" + std::to_string(it.call));
    out.field("name", it.name).field("arguments", empty ? std::string() : it.text).end_object();
    return;
  }
  out.field("type", "message").field("role", "assistant").key("content").begin_array();
  if (!empty) write_part(out, it.text);
  out.end_array().end_object();
}

void response_writer::write_response(json_writer& out, std::string_view status, finish_reason reason,
                                     const stream_summary* summary) const {
  out.begin_object().field("id", "resp_" + id_).field("object", "response").field("created_at", created_);
  out.field("status", status).field("model", model_).key("error").null().key("incomplete_details");
  if (status == "incomplete" && reason == finish_reason::length)
    out.begin_object().field("reason", "max_output_tokens").end_object();
  else
    out.null();
  out.key("output").begin_array();
  for (std::size_t i = 0; summary != nullptr && i < items_.size(); ++i) write_item(out, i);
  out.end_array();
  if (const auto* echoed = options_.echoed.object())
    for (const auto& [name, value] : *echoed) out.key(name).value(value);
  out.field("store", false).field("background", false).key("previous_response_id").null();
  out.field("truncation", "disabled");
  out.field("service_tier", options_.service_tier.empty() ? "default" : options_.service_tier);
  if (summary == nullptr) {
    out.key("usage").null();
  } else {
    write_usage(out, summary->usage);
    write_summary(out, *summary, options_.ignored_fields);
  }
  out.end_object();
}

std::string response_writer::whole(std::span<const finished_choice> choices, const stream_summary& summary) {
  const auto& answer = choices.front();
  const bool cut = answer.reason == finish_reason::length;
  constexpr auto completed = item_status::completed;
  if (!answer.text.empty() || answer.calls.empty()) items_.push_back({false, 0, "", answer.text, completed});
  for (const auto& call : answer.calls) items_.push_back({true, call.index, call.name, call.arguments, completed});
  if (cut) items_.back().status = item_status::incomplete;
  json_writer out;
  write_response(out, cut ? "incomplete" : "completed", answer.reason, &summary);
  return out.take();
}

json_writer response_writer::event(std::string_view type) {
  json_writer out;
  out.begin_object().field("type", type).field("sequence_number", sequence_++);
  return out;
}

std::vector<std::string> response_writer::begin_events(std::uint32_t) {
  std::vector<std::string> events;
  for (const auto* type : {"response.created", "response.in_progress"}) {
    auto out = event(type);
    out.key("response");
    write_response(out, "in_progress", finish_reason::none, nullptr);
    events.push_back(out.end_object().take());
  }
  return events;
}

void response_writer::open(std::vector<std::string>& out, item fresh) {
  close_last(out, item_status::completed);
  items_.push_back(std::move(fresh));
  const auto index = items_.size() - 1;
  auto added = event("response.output_item.added");
  added.field("output_index", index).key("item");
  write_item(added, index);
  out.push_back(added.end_object().take());
  if (items_.back().is_call) return;
  auto part = event("response.content_part.added");
  part.field("item_id", item_id(index)).field("output_index", index).field("content_index", 0).key("part");
  write_part(part, "");
  out.push_back(part.end_object().take());
}

void response_writer::close_last(std::vector<std::string>& out, item_status status) {
  if (items_.empty() || items_.back().status != item_status::in_progress) return;
  auto& last = items_.back();
  last.status = status;
  const auto index = items_.size() - 1;
  const auto begin = [&](std::string_view type) {
    auto one = event(type);
    one.field("item_id", item_id(index)).field("output_index", index);
    return one;
  };
  if (last.is_call) {
    out.push_back(begin("response.function_call_arguments.done")
                      .field("name", last.name).field("arguments", last.text).end_object().take());
  } else {
    auto text = begin("response.output_text.done");
    text.field("content_index", 0).field("text", last.text).key("logprobs").begin_array().end_array();
    out.push_back(text.end_object().take());
    auto part = begin("response.content_part.done");
    part.field("content_index", 0).key("part");
    write_part(part, last.text);
    out.push_back(part.end_object().take());
  }
  auto done = event("response.output_item.done");
  done.field("output_index", index).key("item");
  write_item(done, index);
  out.push_back(done.end_object().take());
}

void response_writer::add_text(std::vector<std::string>& out, const std::string& text) {
  if (items_.empty() || items_.back().is_call) open(out, {});
  items_.back().text += text;
  const auto index = items_.size() - 1;
  auto delta = event("response.output_text.delta");
  delta.field("item_id", item_id(index)).field("output_index", index).field("content_index", 0);
  delta.field("delta", text).key("logprobs").begin_array().end_array();
  out.push_back(delta.end_object().take());
}

void response_writer::add_call(std::vector<std::string>& out, const tool_call& call) {
  if (!call.name.empty()) open(out, {true, call.index, call.name, "", item_status::in_progress});
  if (call.arguments.empty() || items_.empty()) return;
  items_.back().text += call.arguments;
  const auto index = items_.size() - 1;
  auto delta = event("response.function_call_arguments.delta");
  delta.field("item_id", item_id(index)).field("output_index", index).field("delta", call.arguments);
  out.push_back(delta.end_object().take());
}

std::vector<std::string> response_writer::piece_events(std::uint32_t, const finished_choice& piece) {
  std::vector<std::string> events;
  if (!piece.text.empty()) add_text(events, piece.text);
  for (const auto& call : piece.calls) add_call(events, call);
  return events;
}

std::vector<std::string> response_writer::finish_events(std::uint32_t, const finished_choice& end,
                                                        const stream_summary* summary) {
  std::vector<std::string> events;
  if (items_.empty()) open(events, {});
  const bool cut = end.reason == finish_reason::length;
  close_last(events, cut ? item_status::incomplete : item_status::completed);
  auto out = event(cut ? "response.incomplete" : "response.completed");
  out.key("response");
  write_response(out, cut ? "incomplete" : "completed", end.reason, summary);
  events.push_back(out.end_object().take());
  return events;
}

}  // namespace neap::api
