#pragma once
// The description of the HTTP interface for machines: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0).

#include <span>
#include <string>
#include <string_view>

namespace neap::api {

// A route as the server has it.
struct described_route {
  std::string_view name;  // finds the operation's text and schemas
  std::string_view method;
  std::string_view path;
  bool needs_key = true;
};

// What is known of an operation of that name.
bool has_operation(std::string_view name);
// Their number, so that none is left over.
std::size_t operation_count();

// The document, JSON. Routes without an operation are left out.
std::string openapi_document(std::span<const described_route> routes, std::string_view version);

}  // namespace neap::api
