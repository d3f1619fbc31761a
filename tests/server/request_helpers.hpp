#pragma once
// Requests for validator tests: one valid body per endpoint with fields added as raw JSON.

#include "server/api/api_request.hpp"

#include <string>

namespace neap::api {

inline validation_context test_context() { return {{{"fake-model", 4096, 1000, 1}}, 77}; }

// `fields` is raw JSON without braces, e.g. R"("top_p":0.5)"; a prompt or messages come first.
inline std::string make_body(endpoint where, const std::string& fields) {
  const bool has_prompt = fields.starts_with("\"prompt\":") || fields.starts_with("\"messages\":");
  std::string body = R"({"model":"fake-model")";
  if (!has_prompt) {
    body += where == endpoint::chat ? R"(,"messages":[{"role":"user","content":"hi"}])" : R"(,"prompt":"hi")";
  }
  return body + (fields.empty() ? "" : ",") + fields + "}";
}

inline result<api_request> parse_with(endpoint where, const std::string& fields) {
  return parse_request(where, make_body(where, fields), test_context());
}

}  // namespace neap::api
