#pragma once
// A GGUF model on disk: one file, or "name-00001-of-00003.gguf" and its siblings.

#include "engine/model/gguf_header.hpp"
#include "engine/model/mapped_file.hpp"

#include <filesystem>
#include <vector>

namespace neap::model {

struct gguf_part {
  mapped_file mapping;
  gguf_header header;
};

// All parts in order; the first holds the metadata. Errors name the file at fault.
result<std::vector<gguf_part>> open_parts(const std::filesystem::path& path);

// Views of the `count` strings of a checked string array.
std::vector<std::string_view> split_strings(std::span<const std::byte> raw, std::size_t count);

}  // namespace neap::model
