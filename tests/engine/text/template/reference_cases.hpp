#pragma once
// The cases of expected.json and the conversations they render, as the template's input values.

#include "engine/text/chat_template.hpp"
#include "messages/json_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace neap::text::test {

// A file beside this one.
std::string read_case_file(const std::string& name);
std::string read_source_file(const std::string& path_in_repository);

// JSON text as values; fails the process on broken JSON, which only the repository's own files could be.
json_value parse_json(std::string_view text);

// Every template's name and source, in order of name.
std::vector<std::pair<std::string, std::string>> all_templates();

// expected.json, read once.
const json_value& expected();

// Input whose values live as long as the process.
struct conversation {
  json_value messages;
  json_value tools;
  json_value arguments;
  bool add_generation_prompt = true;

  chat_template_input input() const;
};
// A conversation of conversations.json by name.
conversation find_conversation(const std::string& name);
std::vector<std::string> conversation_names();

// All spans' text.
std::string joined(const std::vector<text_span>& spans);

// What a source gives for one input: its text, or "error: ..." of parsing or rendering.
struct outcome {
  bool failed = false;
  error_code code = error_code::internal;
  std::string text;  // rendered text, or the error's message
  std::vector<text_span> spans;
};
outcome render(std::string_view source, const chat_template_input& input);

}  // namespace neap::text::test
