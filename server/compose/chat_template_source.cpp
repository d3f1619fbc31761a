#include "server/compose/chat_template_source.hpp"

#include <fstream>
#include <sstream>

namespace neap::server {
namespace {

using template_ptr = std::shared_ptr<const text::chat_template>;

result<template_ptr> parse(std::string_view source) {
  auto parsed = text::chat_template::parse(source);
  if (!parsed) return std::move(parsed).error();
  return template_ptr{std::make_shared<const text::chat_template>(std::move(*parsed))};
}

}  // namespace

result<template_ptr> load_chat_template(const std::filesystem::path& path, const model::gguf_file& file) {
  if (!path.empty()) {
    std::ifstream in{path, std::ios::binary};
    std::ostringstream content;
    if (!in || !(content << in.rdbuf()))
      return error{error_code::invalid_configuration, "cannot read the chat template file " + path.string(),
                   ""};
    return parse(content.str());
  }
  const auto own = file.get_string("tokenizer.chat_template");
  if (!own) return own.error();
  return *own ? parse(**own) : result<template_ptr>{template_ptr{}};
}

}  // namespace neap::server
