#include "server/compose/chat_template_source.hpp"

#include "messages/quote.hpp"

#include <fstream>
#include <string>

namespace neap::server {
namespace {

constexpr std::size_t file_limit = 1024 * 1024;

using template_ptr = std::shared_ptr<const text::chat_template>;

result<template_ptr> parse(std::string_view source) {
  auto parsed = text::chat_template::parse(source);
  if (!parsed) return std::move(parsed).error();
  return template_ptr{std::make_shared<const text::chat_template>(std::move(*parsed))};
}

// A FIFO or a device would block or never end, hence regular files only.
result<std::string> read_file(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& what) {
    return error{error_code::invalid_configuration, "the chat template file " + quote(path.string()) + what,
                 ""};
  };
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return refuse(" is not there, or no regular file");
  std::ifstream in{path, std::ios::binary};
  if (!in) return refuse(" cannot be read; check its permissions");
  std::string content(file_limit + 1, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (content.size() > file_limit) return refuse(" is larger than 1 MiB; this is no chat template");
  return content;
}

}  // namespace

result<template_ptr> load_chat_template(const std::filesystem::path& path, const model::gguf_file& file) {
  if (!path.empty()) {
    auto source = read_file(path);
    return source ? parse(*source) : std::move(source).error();
  }
  const auto own = file.get_string("tokenizer.chat_template");
  if (!own) return own.error();
  return *own ? parse(**own) : result<template_ptr>{template_ptr{}};
}

}  // namespace neap::server
