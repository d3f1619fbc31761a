#include "server/api/json_reader.hpp"
#include "server/api/quote.hpp"
#include "server/api/request_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace neap::api {
namespace {

constexpr std::array roles{"system", "user", "assistant", "tool", "developer"};

// Models expect a call's arguments as an object, OpenAI's clients send them as JSON text. None if all arguments together
// hold too many values.
std::optional<json_value> native_arguments(const json_value& call, json_budget& budget) {
  json_value out = call;
  auto* members = std::get_if<json_object>(&out.data);
  if (members == nullptr) return out;
  for (auto& [name, value] : *members) {
    if (name == "function") {
      auto function = native_arguments(value, budget);
      if (!function) return std::nullopt;
      value = std::move(*function);
    }
    if (name != "arguments" || value.string() == nullptr) continue;
    auto parsed = parse_json(*value.string(), "arguments", budget);
    if (!parsed && parsed.error().code == error_code::invalid_request) return std::nullopt;
    if (parsed && parsed->object() != nullptr) value = std::move(*parsed);
  }
  return out;
}

void add(json_object& out, std::string_view name, json_value value) {
  out.emplace_back(std::string(name), std::move(value));
}

void read_tool_calls(field_reader& fields, json_object& out, json_budget& budget) {
  const auto* calls = fields.array("tool_calls");
  if (calls == nullptr) return;
  json_array native;
  for (const auto& call : *calls) {
    const auto* function = call.find("function");
    const auto* name = function == nullptr ? nullptr : function->find("name");
    if (name == nullptr || name->string() == nullptr) {
      return fields.fail("tool_calls", "entries need a `function` with a `name`");
    }
    auto with_object = native_arguments(call, budget);
    if (!with_object) {
      return fields.fail("tool_calls", "the arguments of all calls hold more than " + std::to_string(json_value_limit) +
                                           " JSON values; send less at once");
    }
    native.push_back(std::move(*with_object));
  }
  if (!native.empty()) add(out, "tool_calls", {std::move(native)});
}

bool has_tool_calls(const json_object& message) {
  return std::any_of(message.begin(), message.end(), [](const auto& m) { return m.first == "tool_calls"; });
}

json_value read_message(field_reader& fields, json_budget& budget) {
  json_object out;
  const auto* role = fields.string("role");
  if (role == nullptr) {
    fields.fail("role", "is required");
    return {};
  }
  if (std::find(roles.begin(), roles.end(), *role) == roles.end()) {
    fields.fail("role", quote(*role) + " is not one of: system, developer, user, assistant, tool");
    return {};
  }
  add(out, "role", {*role == "developer" ? std::string("system") : *role});
  auto content = read_content(fields);
  read_tool_calls(fields, out, budget);
  if (!content && !(*role == "assistant" && has_tool_calls(out))) fields.fail("content", "is required");
  out.insert(out.begin() + 1, {"content", {content.value_or("")}});
  for (const auto* name : {"name", "tool_call_id", "reasoning_content"}) {
    if (const auto* text = fields.string(name)) add(out, name, {*text});
  }
  return {std::move(out)};
}

void read_messages(field_reader& fields, chat_prompt& out) {
  const auto* list = fields.array("messages");
  if (list == nullptr || list->empty()) {
    return fields.fail("messages", "must be an array with at least one message");
  }
  if (list->size() > messages_limit) {
    return fields.fail("messages", "has more than " + std::to_string(messages_limit) + " entries");
  }
  json_budget budget;
  json_array messages;
  messages.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !fields.failed(); ++i) {
    const std::string where = "messages[" + std::to_string(i) + "]";
    if ((*list)[i].object() == nullptr) return fields.fail(where, "must be an object");
    field_reader message((*list)[i], where + ".");
    messages.push_back(read_message(message, budget));
    if (message.failed()) fields.fail(*message.fault());
  }
  out.messages.data = std::move(messages);
}

void read_tools(field_reader& fields, chat_prompt& out) {
  const auto* tools = fields.array("tools");
  if (tools == nullptr) return;
  if (tools->size() > tools_limit) {
    return fields.fail("tools", "has more than " + std::to_string(tools_limit) + " entries");
  }
  for (const auto& tool : *tools) {
    const auto* function = tool.find("function");
    const auto* name = function == nullptr ? nullptr : function->find("name");
    if (name == nullptr || name->string() == nullptr) {
      return fields.fail("tools", "entries need a `function` with a `name`");
    }
  }
  const auto* choice = fields.any("tool_choice");
  const bool none = choice != nullptr && choice->string() != nullptr && *choice->string() == "none";
  if (!none && !tools->empty()) out.tools.data = *tools;
}

void read_template_arguments(field_reader& fields, chat_prompt& out) {
  out.add_generation_prompt = fields.boolean("add_generation_prompt").value_or(true);
  const auto* extra = fields.object("chat_template_kwargs");
  if (extra == nullptr) return;
  for (const auto* name : {"messages", "tools", "add_generation_prompt", "bos_token", "eos_token"}) {
    if (extra->find(name) != nullptr) {
      return fields.fail("chat_template_kwargs", "must not set " + quote(name));
    }
  }
  out.template_arguments = *extra;
}

}  // namespace

std::optional<std::string> read_content(field_reader& fields) {
  const auto* content = fields.any("content");
  if (content == nullptr) return std::nullopt;
  if (const auto* text = content->string()) return *text;
  const auto* parts = content->array();
  if (parts == nullptr || parts->empty()) {
    fields.fail("content", "must be a string or a non-empty array of text parts");
    return std::nullopt;
  }
  std::string joined;
  for (const auto& part : *parts) {
    const auto* type = part.find("type");
    const auto* text = part.find("text");
    if (type == nullptr || type->string() == nullptr || *type->string() != "text") {
      fields.fail("content", "parts must have the type `text`; this model takes nothing else");
    } else if (text == nullptr || text->string() == nullptr) {
      fields.fail("content", "text parts need a string `text`");
    } else {
      joined += *text->string();
    }
  }
  return joined;
}

prompt read_chat(field_reader& fields) {
  chat_prompt out;
  read_messages(fields, out);
  read_tools(fields, out);
  read_template_arguments(fields, out);
  return out;
}

}  // namespace neap::api
