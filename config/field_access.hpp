#pragma once
// Fields of the configuration by their dotted path, e.g. "batching.max_num_seqs".

#include "messages/proto/config.pb.h"
#include "messages/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::config {

// Sets a field from text, as a command-line flag gives it. Error: no such field, or not of its type.
result<void> set_field(Config& config, std::string_view path, const std::string& text);

// The field's value, or its default, as text. Empty for unknown paths.
std::string get_field(const Config& config, std::string_view path);

// All paths, in the schema's order.
std::vector<std::string> field_paths();

}  // namespace neap::config
