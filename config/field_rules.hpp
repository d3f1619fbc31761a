#pragma once
// Ranges and choices of the configuration's fields.

#include "messages/proto/config.pb.h"

#include <optional>
#include <string>
#include <string_view>

namespace neap::config {

struct broken_rule {
  std::string path;     // of the field, e.g. "http.port"
  std::string message;  // what is wrong and what to write instead
};

// The first field whose value is out of its range, unset fields included.
std::optional<broken_rule> check_rules(const Config& config);

// True if a rule covers the field or any value of its type is right.
bool has_rule(std::string_view path);

}  // namespace neap::config
