#pragma once

#include <string>

namespace neap::api {

// The schemas of all bodies by name, a JSON object. Limits are those that the parsers check.
std::string openapi_schemas();

}  // namespace neap::api
