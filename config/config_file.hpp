#pragma once
// Configuration files: Protobuf text format of messages/proto/config.proto.

#include "messages/proto/config.pb.h"
#include "messages/result.hpp"

#include <filesystem>
#include <string>

namespace neap::config {

// Parses and validates. Errors are one line "FILE:LINE: FIELD: what to do"; `name` stands for FILE.
result<Config> parse_config(const std::string& text, const std::string& name);

// Reads a file (at most 1 MiB) and parses it.
result<Config> load_config(const std::filesystem::path& file);

// Rules on a configuration that did not come from one file; the line names the field.
result<void> validate(const Config& config);

}  // namespace neap::config
