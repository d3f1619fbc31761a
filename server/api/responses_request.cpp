// The body of /v1/responses as that of a chat: items become messages, names change. What needs stored state is
// refused. Fields that both routes share are then checked by the chat's own rules.

#include "server/api/quote.hpp"
#include "server/api/request_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace neap::api {
namespace {

using members = json_object;

json_value text_value(std::string text) { return {std::move(text)}; }

const std::string* text_of(const json_value& object, std::string_view name) {
  const auto* value = object.find(name);
  return value == nullptr ? nullptr : value->string();
}

// Text parts have names of their own here.
std::optional<json_value> content_of(field_reader& fields, const json_value& item, const std::string& where) {
  const auto* content = item.find("content");
  if (content == nullptr || content->array() == nullptr) {
    if (content != nullptr && content->string() != nullptr) return *content;
    fields.fail(where + ".content", "must be a string or an array of text parts");
    return std::nullopt;
  }
  json_array parts;
  for (const auto& part : *content->array()) {
    const auto* type = text_of(part, "type");
    const auto* text = text_of(part, "text");
    if (type == nullptr || (*type != "input_text" && *type != "output_text" && *type != "text") || text == nullptr) {
      fields.fail(where + ".content", "parts must be `input_text` or `output_text` with a string `text`");
      return std::nullopt;
    }
    parts.push_back({members{{"type", text_value("text")}, {"text", text_value(*text)}}});
  }
  return json_value{std::move(parts)};
}

void add_call(field_reader& fields, const json_value& item, const std::string& where, json_array& messages) {
  const auto *id = text_of(item, "call_id"), *name = text_of(item, "name"), *arguments = text_of(item, "arguments");
  if (id == nullptr || name == nullptr || arguments == nullptr)
    return fields.fail(where, "a function_call needs the strings `call_id`, `name` and `arguments`");
  json_value call{members{
      {"id", text_value(*id)},
      {"type", text_value("function")},
      {"function", {members{{"name", text_value(*name)}, {"arguments", text_value(*arguments)}}}}}};
  // Calls in a row are one turn.
  if (!messages.empty()) {
    auto& last = std::get<json_object>(messages.back().data);
    if (!last.empty() && last.back().first == "tool_calls")
      return std::get<json_array>(last.back().second.data).push_back(std::move(call));
  }
  messages.push_back({members{{"role", text_value("assistant")},
                              {"content", text_value("")},
                              {"tool_calls", {json_array{std::move(call)}}}}});
}

void add_output(field_reader& fields, const json_value& item, const std::string& where, json_array& messages) {
  const auto *id = text_of(item, "call_id"), *output = text_of(item, "output");
  if (id == nullptr || output == nullptr)
    return fields.fail(where, "a function_call_output needs the strings `call_id` and `output`");
  messages.push_back({members{
      {"role", text_value("tool")}, {"tool_call_id", text_value(*id)}, {"content", text_value(*output)}}});
}

void add_item(field_reader& fields, const json_value& item, const std::string& where, json_array& messages) {
  if (item.object() == nullptr) return fields.fail(where, "must be an object");
  const auto* type = text_of(item, "type");
  if (type != nullptr && *type == "function_call") return add_call(fields, item, where, messages);
  if (type != nullptr && *type == "function_call_output") return add_output(fields, item, where, messages);
  if (type != nullptr && *type == "reasoning") return;  // of another model's answer
  if (type != nullptr && *type != "message")
    return fields.fail(where + ".type", quote(*type) + " is not supported; message, function_call and "
                       "function_call_output are", error_code::unsupported_field);
  const auto* role = text_of(item, "role");
  if (role == nullptr || (*role != "user" && *role != "assistant" && *role != "system" && *role != "developer"))
    return fields.fail(where + ".role", "must be user, assistant, system or developer");
  if (auto content = content_of(fields, item, where))
    messages.push_back({members{{"role", text_value(*role)}, {"content", std::move(*content)}}});
}

json_array messages_of(field_reader& fields) {
  json_array messages;
  if (const auto* text = fields.string("instructions"))
    messages.push_back({members{{"role", text_value("system")}, {"content", text_value(*text)}}});
  const auto* input = fields.any("input");
  if (input != nullptr && input->string() != nullptr) {
    messages.push_back({members{{"role", text_value("user")}, {"content", *input}}});
  } else if (input == nullptr || input->array() == nullptr || input->array()->empty()) {
    fields.fail("input", "is required: a string, or an array of items that is not empty");
  } else if (input->array()->size() > messages_limit) {
    fields.fail("input", "has more than " + std::to_string(messages_limit) + " items");
  } else {
    for (std::size_t i = 0; i < input->array()->size() && !fields.failed(); ++i)
      add_item(fields, (*input->array())[i], "input[" + std::to_string(i) + "]", messages);
  }
  return messages;
}

// Functions stand in an object of their own in a chat. Built-in tools would run at OpenAI's.
json_array tools_of(field_reader& fields) {
  json_array out;
  const auto* tools = fields.array("tools");
  if (tools == nullptr) return out;
  for (const auto& tool : *tools) {
    const auto* type = text_of(tool, "type");
    if (type == nullptr || *type != "function") {
      fields.fail("tools", "other than of the type `function` are not supported", error_code::unsupported_field);
      break;
    }
    members function;
    for (const auto& [name, value] : *tool.object())
      if (name != "type") function.emplace_back(name, value);
    out.push_back({members{{"type", text_value("function")}, {"function", {std::move(function)}}}});
  }
  return out;
}

void refuse_state(field_reader& fields) {
  const auto refuse = [&](std::string_view name, std::string_view why) {
    fields.fail(name, why, error_code::unsupported_field);
  };
  if (fields.boolean("store").value_or(false)) refuse("store", "is not supported: nothing is stored; leave it out");
  if (fields.boolean("background").value_or(false)) refuse("background", "is not supported; leave it out");
  for (const auto* name : {"previous_response_id", "conversation", "prompt"})
    if (fields.any(name) != nullptr) refuse(name, "is not supported: nothing is stored; send the whole `input`");
  const auto* truncation = fields.string("truncation");
  if (truncation != nullptr && *truncation != "disabled") refuse("truncation", "other than disabled is not supported");
  if (fields.integer("top_logprobs", 0, 20).value_or(0) != 0) refuse("top_logprobs", "is not supported here; leave it out");
  const auto* text = fields.object("text");
  const auto* format = text == nullptr ? nullptr : text->find("format");
  const auto* type = format == nullptr ? nullptr : text_of(*format, "type");
  if (format != nullptr && !format->is_null() && (type == nullptr || *type != "text"))
    refuse("text.format", "other than text is not supported");
}

// Settings that the answer repeats.
json_value echo_of(const json_value& body) {
  members out;
  const auto keep = [&](std::string_view name, json_value otherwise) {
    const auto* given = body.find(name);
    out.emplace_back(std::string(name), given != nullptr && !given->is_null() ? *given : std::move(otherwise));
  };
  for (const auto* name : {"instructions", "max_output_tokens", "reasoning", "user"}) keep(name, {});
  keep("temperature", {1.0});
  keep("top_p", {1.0});
  keep("metadata", {members{}});
  keep("parallel_tool_calls", {true});
  keep("tool_choice", text_value("auto"));
  keep("tools", {json_array{}});
  keep("text", {members{{"format", {members{{"type", text_value("text")}}}}}});
  return {std::move(out)};
}

}  // namespace

json_value to_chat_body(field_reader& fields, const json_value& body, answer_options& answer) {
  refuse_state(fields);
  members chat{{"messages", {messages_of(fields)}}};
  if (auto tools = tools_of(fields); !tools.empty()) chat.emplace_back("tools", json_value{std::move(tools)});
  if (const auto* limit = fields.any("max_output_tokens")) chat.emplace_back("max_completion_tokens", *limit);
  constexpr std::array<std::string_view, 12> own{"instructions", "input", "tools", "max_output_tokens", "store", "background", "prompt",
                           "previous_response_id", "conversation", "truncation", "text", "top_logprobs"};
  for (const auto& [name, value] : *body.object()) {
    const bool translated = std::find(own.begin(), own.end(), name) != own.end();
    if (!translated && name != "messages" && name != "n" && name != "stream_options" && name != "max_tokens")
      chat.emplace_back(name, value);
  }
  answer.echoed = echo_of(body);
  return {std::move(chat)};
}

}  // namespace neap::api
