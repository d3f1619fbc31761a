#include "server/api/json_reader.hpp"
#include "server/api/request_fields.hpp"

#include <algorithm>
#include <utility>

namespace neap::api {
namespace {

void note_ignored(const field_reader& fields, answer_options& answer) {
  for (auto& name : ignored_fields_of(fields)) {
    if (answer.ignored_fields.size() == ignored_limit) return;
    answer.ignored_fields.push_back(std::move(name));
  }
}

void read_common(field_reader& fields, const served_model& model, const validation_context& context,
                 api_request& out) {
  auto& request = out.generation;
  request.model = model.name;
  request.echo = read_echo(fields, out.answer.endpoint);
  request.max_tokens = read_max_tokens(fields, model.context_length, request.echo ? 0 : 1);
  request.sampling = read_sampling(fields, model.vocabulary_size, context.random_seed);
  out.answer.logprobs = read_logprobs(fields, out.answer.endpoint, request.echo, request.sampling);
  request.choices_per_prompt = read_choices(fields);
  request.stop = read_stop(fields, model.vocabulary_size);
  request.tag = read_routing(fields);
  request.deadline = read_deadline(fields);
  fields.string("user");
  read_metadata(fields);
  fields.boolean("parallel_tool_calls");
  out.answer.fingerprint = model.fingerprint;
  read_answer_options(fields, out.answer);
  refuse_unsupported(fields, out.answer.endpoint);
}

void read_tool_format(const served_model& model, answer_options& answer) {
  if (!model.uses_tools)
    answer.ignored_fields.emplace_back("tools");
  else
    answer.tools = text::find_tool_call_format(model.tool_calls).value_or(text::tool_call_format::none);
}

void read_prompt(field_reader& fields, const served_model& model, api_request& out) {
  if (out.answer.endpoint == endpoint::chat) {
    auto chat = read_chat(fields);
    if (!std::get<chat_prompt>(chat).tools.is_null()) read_tool_format(model, out.answer);
    out.generation.prompts.push_back(std::move(chat));
    return;
  }
  out.generation.prompts = read_prompts(fields, "prompt", model.vocabulary_size);
  if (!out.generation.max_tokens) {
    out.generation.max_tokens = std::min(default_completion_tokens, model.context_length);
  }
}

}  // namespace

namespace {

result<api_request> read_request(endpoint where, const json_value& body, const validation_context& context,
                                 answer_options answer) {
  field_reader fields(body);
  api_request out;
  out.answer = std::move(answer);
  out.answer.endpoint = where;
  const auto* model = read_model(fields, context.models);
  if (model != nullptr) {
    read_common(fields, *model, context, out);
    read_prompt(fields, *model, out);
    note_ignored(fields, out.answer);
  }
  if (fields.failed()) return *fields.fault();
  return out;
}

result<api_request> read_response_request(const json_value& body, const validation_context& context) {
  field_reader fields(body);
  answer_options answer;
  const auto chat = to_chat_body(fields, body, answer);
  if (fields.failed()) return *fields.fault();
  auto out = read_request(endpoint::chat, chat, context, std::move(answer));
  if (!out) {
    auto fault = std::move(out).error();
    if (fault.param.starts_with("messages")) fault.param = "input";
    if (fault.param == "max_completion_tokens") fault.param = "max_output_tokens";
    return fault;
  }
  out->answer.endpoint = endpoint::responses;
  return out;
}

}  // namespace

result<api_request> parse_request(endpoint where, std::string_view body, const validation_context& context) {
  auto document = parse_json(body);
  if (!document) return std::move(document).error();
  if (document->object() == nullptr) {
    return error{error_code::invalid_request, "the body must be a JSON object", {}};
  }
  if (where == endpoint::responses) return read_response_request(*document, context);
  return read_request(where, *document, context, {});
}

}  // namespace neap::api
