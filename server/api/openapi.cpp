#include "server/api/openapi.hpp"

#include "server/api/json_writer.hpp"
#include "server/api/openapi_schemas.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace neap::api {
namespace {

struct operation {
  std::string_view name;
  std::string_view summary;
  std::string_view body;     // schema of the request; empty: none
  std::string_view answer;   // schema of the answer; empty: no JSON
  std::string_view content = "application/json";
  bool streams = false;      // `stream: true` answers with events
};

constexpr std::array operations{
    operation{"chat_completions", "The next message of a conversation", "ChatRequest", "ChatCompletion",
              "application/json", true},
    operation{"completions", "Text that goes on from a prompt", "CompletionRequest", "Completion", "application/json",
              true},
    operation{"responses", "The answer to a conversation, as a list of items; nothing is stored", "ResponseRequest",
              "Response", "application/json", true},
    operation{"embeddings", "Vectors of texts: their mean final hidden states", "EmbeddingRequest", "EmbeddingList"},
    operation{"models", "The models that are served", "", "ModelList"},
    operation{"model", "One of them", "", "Model"},
    operation{"tokenize", "The tokens of a text", "TokenizeRequest", "Tokens"},
    operation{"detokenize", "The text of tokens", "DetokenizeRequest", "Text"},
    operation{"websocket", "Upgrade to a WebSocket that carries many requests (docs/websocket.md)", "", "", ""},
    operation{"health", "The process lives", "", "Status"},
    operation{"ready", "Requests are taken", "", "Status"},
    operation{"metrics", "Prometheus text", "", "", "text/plain"},
    operation{"actors", "What every actor is doing", "", "ActorList"},
    operation{"requests", "The live requests", "", "RequestList"},
    operation{"openapi", "This document", "", "Object"},
};

const operation* find_operation(std::string_view name) {
  const auto found =
      std::find_if(operations.begin(), operations.end(), [&](const auto& o) { return o.name == name; });
  return found == operations.end() ? nullptr : &*found;
}

void write_content(json_writer& out, std::string_view type, std::string_view schema) {
  out.key(type).begin_object().key("schema").begin_object();
  if (schema.empty())
    out.field("type", "string");
  else
    out.field("$ref", "#/components/schemas/" + std::string(schema));
  out.end_object().end_object();
}

void write_answer(json_writer& out, const operation& o) {
  if (o.content.empty()) {
    out.key("101").begin_object().field("description", "the connection is a WebSocket now").end_object();
    return;
  }
  out.key("200").begin_object().field("description", o.summary).key("content").begin_object();
  write_content(out, o.content, o.answer);
  if (o.streams) write_content(out, "text/event-stream", "Event");
  out.end_object().end_object();
}

void write_parameters(json_writer& out, std::string_view path) {
  const auto brace = path.find('{');
  if (brace == std::string_view::npos) return;
  out.key("parameters").begin_array().begin_object();
  out.field("name", path.substr(brace + 1, path.size() - brace - 2)).field("in", "path").field("required", true);
  out.key("schema").begin_object().field("type", "string").end_object().end_object().end_array();
}

void write_operation(json_writer& out, const described_route& route, const operation& o) {
  std::string method(route.method);
  std::transform(method.begin(), method.end(), method.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  out.key(method).begin_object().field("operationId", o.name).field("summary", o.summary);
  write_parameters(out, route.path);
  if (!o.body.empty()) {
    out.key("requestBody").begin_object().field("required", true).key("content").begin_object();
    write_content(out, "application/json", o.body);
    out.end_object().end_object();
  }
  out.key("responses").begin_object();
  write_answer(out, o);
  out.key("default").begin_object().field("description", "an error").key("content").begin_object();
  write_content(out, "application/json", "Error");
  out.end_object().end_object().end_object();
  out.key("security").begin_array();
  if (route.needs_key) out.begin_object().key("key").begin_array().end_array().end_object();
  out.end_array().end_object();
}

}  // namespace

bool has_operation(std::string_view name) { return find_operation(name) != nullptr; }

std::size_t operation_count() { return operations.size(); }

std::string openapi_document(std::span<const described_route> routes, std::string_view version) {
  json_writer out;
  out.begin_object().field("openapi", "3.1.0").key("info").begin_object();
  out.field("title", "Neap").field("version", version).end_object().key("paths").begin_object();
  for (const auto& route : routes) {
    const auto* known = find_operation(route.name);
    if (known == nullptr) continue;
    out.key(route.path).begin_object();
    write_operation(out, route, *known);
    out.end_object();
  }
  out.end_object().key("components").begin_object().key("securitySchemes").begin_object();
  out.key("key").begin_object().field("type", "http").field("scheme", "bearer").end_object().end_object();
  out.key("schemas").json(openapi_schemas()).end_object();
  return out.end_object().take();
}

}  // namespace neap::api
