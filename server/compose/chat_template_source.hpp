#pragma once

#include "engine/model/gguf_file.hpp"
#include "engine/text/chat_template.hpp"

#include <filesystem>
#include <memory>

namespace neap::server {

// The template from a file if a path is given, else the model's own; null if there is neither.
result<std::shared_ptr<const text::chat_template>> load_chat_template(const std::filesystem::path& path,
                                                                      const model::gguf_file& file);

}  // namespace neap::server
