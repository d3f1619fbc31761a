#include "server/api/openapi_schemas.hpp"

#include <array>
#include <string_view>

namespace neap::api {
namespace {

// Members that the generating routes share. Null means absent everywhere.
constexpr std::string_view generation = R"(
"model":{"type":["string","null"],"description":"absent or `default`: the served model"},
"temperature":{"type":["number","null"],"minimum":0,"maximum":2},
"top_p":{"type":["number","null"],"minimum":0,"maximum":1},
"top_k":{"type":["integer","null"],"minimum":-1},
"min_p":{"type":["number","null"],"minimum":0,"maximum":1},
"repetition_penalty":{"type":["number","null"],"minimum":0.01,"maximum":10},
"presence_penalty":{"type":["number","null"],"minimum":-2,"maximum":2},
"frequency_penalty":{"type":["number","null"],"minimum":-2,"maximum":2},
"seed":{"type":["integer","null"]},
"logit_bias":{"type":["object","null"],"maxProperties":1024,"additionalProperties":{"type":"number","minimum":-100,"maximum":100}},
"stop":{"oneOf":[{"type":"string","minLength":1,"maxLength":256},{"type":"array","maxItems":4,"items":{"type":"string","minLength":1,"maxLength":256}},{"type":"null"}]},
"stop_token_ids":{"type":["array","null"],"maxItems":128,"items":{"type":"integer","minimum":0}},
"ignore_eos":{"type":["boolean","null"]},
"user":{"type":["string","null"]},
"metadata":{"type":["object","null"],"maxProperties":16,"additionalProperties":{"type":"string","maxLength":512}},
"stream":{"type":["boolean","null"]},
"service_tier":{"enum":["auto","default","standard","priority","vip","flex",null]},
"priority":{"type":["integer","null"],"minimum":-2147483647,"maximum":2147483647},
"request_type":{"enum":["interactive","batch",null]},
"sensitivity":{"enum":["realtime","normal",null]},
"deadline_ms":{"type":["integer","null"],"minimum":1,"maximum":86400000})";

constexpr std::string_view openai_generation = R"(
"n":{"type":["integer","null"],"minimum":1,"maximum":8},
"stream_options":{"type":["object","null"],"properties":{"include_usage":{"type":["boolean","null"]}}},
"return_token_ids":{"type":["boolean","null"]})";

constexpr std::string_view prompts = R"({"oneOf":[
{"type":"string","minLength":1},
{"type":"array","minItems":1,"maxItems":128,"items":{"type":"string","minLength":1}},
{"type":"array","minItems":1,"items":{"type":"integer","minimum":0}},
{"type":"array","minItems":1,"maxItems":128,"items":{"type":"array","minItems":1,"items":{"type":"integer","minimum":0}}}]})";

constexpr std::string_view text_content = R"({"oneOf":[{"type":"string"},
{"type":"array","minItems":1,"items":{"type":"object","required":["type","text"],"properties":{"type":{"const":"text"},"text":{"type":"string"}}}},
{"type":"null"}]})";

constexpr std::string_view tool = R"({"type":"object","required":["function"],"properties":{"type":{"const":"function"},
"function":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"description":{"type":"string"},"parameters":{"type":"object"}}}}})";

constexpr std::string_view tool_call = R"({"type":"object","required":["id","type","function"],"properties":{
"id":{"type":"string"},"type":{"const":"function"},
"function":{"type":"object","required":["name","arguments"],"properties":{"name":{"type":"string"},"arguments":{"type":"string"}}}}})";

constexpr std::string_view usage = R"({"type":"object","required":["prompt_tokens","completion_tokens","total_tokens"],"properties":{
"prompt_tokens":{"type":"integer"},"completion_tokens":{"type":"integer"},"total_tokens":{"type":"integer"}}})";

std::string object(std::string_view required, std::string_view properties) {
  std::string out = R"({"type":"object",)";
  if (!required.empty()) out += "\"required\":[" + std::string(required) + "],";
  return out + "\"properties\":{" + std::string(properties) + "}}";
}

// An object to which one of the rules applies as well.
std::string object_with(std::string_view required, std::string_view properties, std::string_view any_of) {
  auto out = object(required, properties);
  out.back() = ',';
  return out + "\"anyOf\":[" + std::string(any_of) + "]}";
}

std::string list_of(std::string_view items) {
  return object(R"("object","data")", R"("object":{"const":"list"},"data":{"type":"array","items":)" + std::string(items) + "}");
}

std::string chat_request() {
  return object(R"("messages")",
                R"("messages":{"type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/Message"}},)"
                R"("tools":{"type":["array","null"],"maxItems":128,"items":)" + std::string(tool) +
                    R"(},"tool_choice":{"enum":["none","auto",null]},"parallel_tool_calls":{"type":["boolean","null"]},)"
                    R"("max_tokens":{"type":["integer","null"],"minimum":1},"max_completion_tokens":{"type":["integer","null"],"minimum":1},)"
                    R"("logprobs":{"type":["boolean","null"]},"top_logprobs":{"type":["integer","null"],"minimum":0,"maximum":20},)"
                    R"("chat_template_kwargs":{"type":["object","null"]},)" +
                    std::string(openai_generation) + "," + std::string(generation));
}

// Only an assistant's calls may come without content.
constexpr std::string_view says_something = R"({"required":["content"],"properties":{"content":{"not":{"type":"null"}}}},
{"required":["tool_calls"],"properties":{"role":{"const":"assistant"},"tool_calls":{"type":"array","minItems":1}}})";

std::string message() {
  return object_with(R"("role")", R"("role":{"enum":["system","developer","user","assistant","tool"]},"content":)" +
                                 std::string(text_content) +
                                 R"(,"name":{"type":["string","null"]},"tool_call_id":{"type":["string","null"]},)"
                                 R"("tool_calls":{"type":["array","null"],"items":)" +
                                 std::string(tool_call) + "}", says_something);
}

// The prompt alone is an answer, too.
constexpr std::string_view answers_something = R"({"properties":{"max_tokens":{"minimum":1}}},
{"required":["echo"],"properties":{"echo":{"const":true}}})";

std::string completion_request() {
  return object_with(R"("prompt")", "\"prompt\":" + std::string(prompts) +
                                   R"(,"echo":{"type":["boolean","null"]},"max_tokens":{"type":["integer","null"],"minimum":0},)"
                                   R"("logprobs":{"type":["integer","null"],"minimum":0,"maximum":20},)" +
                                   std::string(openai_generation) + "," + std::string(generation),
                     answers_something);
}

std::string response_request() {
  return object(R"("input")",
                R"("input":{"oneOf":[{"type":"string"},{"type":"array","minItems":1,"maxItems":4096,"items":{"type":"object"}}]},)"
                R"("instructions":{"type":["string","null"]},"max_output_tokens":{"type":["integer","null"],"minimum":1},)"
                R"("tools":{"type":["array","null"],"items":{"type":"object","required":["type","name"],"properties":{"type":{"const":"function"},"name":{"type":"string"}}}},)"
                R"("tool_choice":{"enum":["none","auto",null]},"store":{"enum":[false,null]},)" +
                    std::string(generation));
}

std::string answer(std::string_view choice) {
  return object(R"("id","object","created","model","choices","usage")",
                R"("id":{"type":"string"},"object":{"type":"string"},"created":{"type":"integer"},"model":{"type":"string"},)"
                R"("system_fingerprint":{"type":"string"},"choices":{"type":"array","items":)" + std::string(choice) +
                    "},\"usage\":" + std::string(usage));
}

struct schema {
  std::string_view name;
  std::string text;
};

}  // namespace

std::string openapi_schemas() {
  const std::string chat_choice = object(
      R"("index","message","finish_reason")",
      R"("index":{"type":"integer"},"finish_reason":{"enum":["stop","length","tool_calls"]},"message":)" +
          object(R"("role","content")", R"("role":{"const":"assistant"},"content":{"type":["string","null"]},"tool_calls":{"type":"array","items":)" +
                                            std::string(tool_call) + "}"));
  const std::string text_choice =
      object(R"("index","text","finish_reason")",
             R"("index":{"type":"integer"},"text":{"type":"string"},"finish_reason":{"enum":["stop","length"]})");
  const std::array schemas{
      schema{"Object", R"({"type":"object"})"},
      schema{"Event", object(R"("data")", R"("data":{"type":"string","description":"JSON, or [DONE] at the end"})")},
      schema{"Error", object(R"("error")", "\"error\":" + object(R"("message","type","param","code")",
                                                                 R"("message":{"type":"string"},"type":{"type":"string"},"param":{"type":["string","null"]},"code":{"type":"string"})"))},
      schema{"Message", message()},
      schema{"ChatRequest", chat_request()},
      schema{"ChatCompletion", answer(chat_choice)},
      schema{"CompletionRequest", completion_request()},
      schema{"Completion", answer(text_choice)},
      schema{"ResponseRequest", response_request()},
      schema{"Response", object(R"("id","object","status","output")",
                                R"("id":{"type":"string"},"object":{"const":"response"},"status":{"enum":["completed","incomplete"]},"output":{"type":"array","items":{"type":"object"}})")},
      schema{"EmbeddingRequest",
             object(R"("input")", "\"input\":" + std::string(prompts) +
                                      R"(,"model":{"type":["string","null"]},"dimensions":{"type":["integer","null"],"minimum":1},)"
                                      R"("encoding_format":{"enum":["float","base64",null]},"user":{"type":["string","null"]})")},
      schema{"EmbeddingList", list_of(object(R"("index","embedding")", R"("index":{"type":"integer"},"embedding":{"oneOf":[{"type":"array","items":{"type":"number"}},{"type":"string"}]})"))},
      schema{"Model", object(R"("id","object","created","owned_by")", R"("id":{"type":"string"},"object":{"const":"model"},"created":{"type":"integer"},"owned_by":{"type":"string"},"max_model_len":{"type":"integer"})")},
      schema{"ModelList", list_of(R"({"$ref":"#/components/schemas/Model"})")},
      schema{"TokenizeRequest", object(R"("prompt")", R"("prompt":{"type":"string"},"model":{"type":["string","null"]},"add_special_tokens":{"type":["boolean","null"]},"parse_special":{"type":["boolean","null"]})")},
      schema{"Tokens", object(R"("tokens","count")", R"("tokens":{"type":"array","items":{"type":"integer"}},"count":{"type":"integer"},"max_model_len":{"type":"integer"})")},
      schema{"DetokenizeRequest", object(R"("tokens")", R"("tokens":{"type":"array","items":{"type":"integer","minimum":0}},"model":{"type":["string","null"]})")},
      schema{"Text", object(R"("prompt")", R"("prompt":{"type":"string"})")},
      schema{"Status", object(R"("status")", R"("status":{"type":"string"})")},
      schema{"ActorList", list_of(R"({"type":"object"})")},
      schema{"RequestList", list_of(R"({"type":"object"})")},
  };
  std::string out = "{";
  for (const auto& each : schemas)
    out += (out.size() > 1 ? ",\"" : "\"") + std::string(each.name) + "\":" + each.text;
  return out + "}";
}

}  // namespace neap::api
