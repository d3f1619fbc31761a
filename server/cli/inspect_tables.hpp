#pragma once
// Answers of the inspection routes as text tables.

#include "messages/json_value.hpp"

#include <string>

namespace neap::cli {

// From the bodies of /neap/v1/actors and /neap/v1/requests; what is missing in them shows as "-".
std::string actors_table(const json_value& body);
std::string requests_table(const json_value& body);

}  // namespace neap::cli
