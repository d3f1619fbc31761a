#pragma once
// The bodies of /v1/embeddings.

#include "server/api/api_request.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neap::api {

struct embedding_options {
  std::uint32_t dimensions = 0;  // of each answer
  bool base64 = false;           // little-endian 32-bit floats, else JSON numbers
  std::string model;
  std::vector<std::string> ignored_fields;
};

struct embedding_request {
  generation_request generation;  // id and arrival are left to the caller
  embedding_options answer;
};

// Body text -> request. Errors carry the field at fault.
result<embedding_request> parse_embeddings(std::string_view body, const validation_context& context);

// The whole answer. A vector is cut to `dimensions` and scaled to length 1.
std::string embeddings_body(const embedding_options& options, std::span<const std::vector<float>> vectors,
                            const stream_summary& summary);

}  // namespace neap::api
