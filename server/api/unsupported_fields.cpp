// Fields that clients know and this build cannot honour. Values that ask for nothing pass; anything else is
// refused, never answered as if it were honoured.

#include "server/api/request_fields.hpp"

#include <array>

namespace neap::api {
namespace {

void refuse(field_reader& fields, std::string_view name, std::string_view advice) {
  fields.fail(name, advice, error_code::unsupported_field);
}

void read_switch(field_reader& fields, std::string_view name) {
  if (fields.boolean(name).value_or(false)) refuse(fields, name, "is not supported; leave it out");
}

void read_response_format(field_reader& fields) {
  const auto* format = fields.object("response_format");
  if (format == nullptr) return;
  const auto* type = format->find("type");
  const auto* name = type == nullptr ? nullptr : type->string();
  if (name == nullptr) return fields.fail("response_format", "needs a string `type`");
  if (*name == "text") return;
  if (*name == "json_object" || *name == "json_schema") {
    return refuse(fields, "response_format", "other than text is not supported");
  }
  fields.fail("response_format", "`type` must be text, json_object or json_schema");
}

void read_tool_choice(field_reader& fields) {
  const auto* choice = fields.any("tool_choice");
  if (choice == nullptr) return;
  const auto* name = choice->string();
  if (name != nullptr && (*name == "none" || *name == "auto")) return;
  if ((name != nullptr && *name == "required") || choice->object() != nullptr) {
    return refuse(fields, "tool_choice", "other than auto and none is not supported");
  }
  fields.fail("tool_choice", "must be none, auto, required or an object");
}

}  // namespace

void refuse_unsupported(field_reader& fields, endpoint where) {
  for (const auto* name : {"use_beam_search", "continue_final_message"}) read_switch(fields, name);
  read_response_format(fields);
  if (where == endpoint::chat) read_tool_choice(fields);
  if (const auto* suffix = fields.string("suffix"); suffix != nullptr && !suffix->empty()) {
    refuse(fields, "suffix", "is not supported; leave it out");
  }
  constexpr std::array absent_only{"functions",
                                   "function_call",
                                   "modalities",
                                   "audio",
                                   "prediction",
                                   "decoding",
                                   "reward",
                                   "cache_salt",
                                   "guided_json",
                                   "guided_regex",
                                   "guided_choice",
                                   "guided_grammar",
                                   "grammar",
                                   "json_schema",
                                   "structured_outputs",
                                   "chat_template",
                                   "prompt_embeds",
                                   "prompt_logprobs",
                                   "web_search_options",
                                   "allowed_token_ids",
                                   "bad_words",
                                   "lora",
                                   "adapter"};
  for (const auto* name : absent_only) {
    if (fields.any(name) != nullptr) refuse(fields, name, "is not supported; leave it out");
  }
}

}  // namespace neap::api
