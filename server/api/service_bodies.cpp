#include "server/api/service_bodies.hpp"

#include "server/api/json_reader.hpp"
#include "server/api/json_writer.hpp"
#include "server/api/request_fields.hpp"

#include <utility>

namespace neap::api {
namespace {

result<json_value> parse_object(std::string_view body) {
  auto document = parse_json(body);
  if (document && document->object() == nullptr) {
    return error{error_code::invalid_request, "the body must be a JSON object", {}};
  }
  return document;
}

void write_model(json_writer& out, const served_model& model) {
  out.begin_object().field("id", model.name).field("object", "model").field("created", model.created);
  out.field("owned_by", "neap").field("max_model_len", model.context_length).end_object();
}

}  // namespace

std::string models_body(const std::vector<served_model>& models) {
  json_writer out;
  out.begin_object().field("object", "list").key("data").begin_array();
  for (const auto& model : models) write_model(out, model);
  return out.end_array().end_object().take();
}

std::string model_body(const served_model& model) {
  json_writer out;
  write_model(out, model);
  return out.take();
}

result<text_prompt> parse_tokenize(std::string_view body, const validation_context& context) {
  auto document = parse_object(body);
  if (!document) return std::move(document).error();
  field_reader fields(*document);
  read_model(fields, context.models);
  text_prompt out;
  if (const auto* text = fields.string("prompt")) {
    out.text = *text;
  } else {
    fields.fail("prompt", "is required");
  }
  out.parse_special = fields.boolean("parse_special").value_or(false);
  out.add_special_tokens = fields.boolean("add_special_tokens").value_or(true);
  if (fields.failed()) return *fields.fault();
  return out;
}

std::string tokens_body(const std::vector<token_id>& tokens, std::uint32_t context_length) {
  json_writer out;
  out.begin_object().field("count", tokens.size()).field("max_model_len", context_length);
  out.key("tokens").begin_array();
  for (const auto id : tokens) out.integer(id);
  return out.end_array().end_object().take();
}

result<std::vector<token_id>> parse_detokenize(std::string_view body, const validation_context& context) {
  auto document = parse_object(body);
  if (!document) return std::move(document).error();
  field_reader fields(*document);
  const auto* model = read_model(fields, context.models);
  const auto* list = fields.array("tokens");
  if (list == nullptr) fields.fail("tokens", "is required: an array of token ids");
  std::vector<token_id> out;
  if (model != nullptr && list != nullptr) {
    out.reserve(list->size());
    for (const auto& item : *list) {
      const auto id = as_integer(item);
      if (!id || *id < 0 || *id >= model->vocabulary_size) {
        fields.fail("tokens", "must hold token ids from 0 to " + std::to_string(model->vocabulary_size - 1));
        break;
      }
      out.push_back(static_cast<token_id>(*id));
    }
  }
  if (fields.failed()) return *fields.fault();
  return out;
}

std::string text_body(std::string_view text) {
  return json_writer{}.begin_object().field("prompt", text).end_object().take();
}

}  // namespace neap::api
