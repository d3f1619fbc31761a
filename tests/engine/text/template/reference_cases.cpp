#include "tests/engine/text/template/reference_cases.hpp"

#include "tests/support/json.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace neap::text::test {
namespace {

const std::string folder = "tests/engine/text/template/";

const json_value& conversations() {
  static const auto all = parse_json(read_case_file("conversations.json"));
  return all;
}

}  // namespace

std::string read_source_file(const std::string& path_in_repository) {
  std::ifstream in{std::string{NEAP_SOURCE_DIR} + "/" + path_in_repository, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string read_case_file(const std::string& name) { return read_source_file(folder + name); }

json_value parse_json(std::string_view text) { return neap::test::parse_json(text); }

std::vector<std::pair<std::string, std::string>> all_templates() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{NEAP_SOURCE_DIR} + "/" + folder + "templates"})
    out.emplace_back(entry.path().stem().string(),
                     read_case_file("templates/" + entry.path().filename().string()));
  std::sort(out.begin(), out.end());
  return out;
}

const json_value& expected() {
  static const auto all = parse_json(read_case_file("expected.json"));
  return all;
}

chat_template_input conversation::input() const {
  // strftime_now gives local time; expected.json was made in UTC.
  setenv("TZ", "UTC", 1);
  chat_template_input out;
  out.messages = &messages;
  out.tools = &tools;
  out.template_arguments = &arguments;
  out.add_generation_prompt = add_generation_prompt;
  out.bos_token = *expected().find("bos")->string();
  out.eos_token = *expected().find("eos")->string();
  out.now_unix_seconds = std::get<std::int64_t>(expected().find("now")->data);
  return out;
}

conversation find_conversation(const std::string& name) {
  const auto& chat = *conversations().find(name);
  conversation out;
  out.messages = *chat.find("messages");
  if (const auto* tools = chat.find("tools"))
    out.tools = *parse_json(read_case_file("tools.json")).find(*tools->string());
  if (const auto* arguments = chat.find("arguments")) out.arguments = *arguments;
  if (const auto* prompt = chat.find("add_generation_prompt"))
    out.add_generation_prompt = std::get<bool>(prompt->data);
  return out;
}

std::vector<std::string> conversation_names() {
  std::vector<std::string> out;
  for (const auto& [name, chat] : *conversations().object()) out.push_back(name);
  return out;
}

std::string joined(const std::vector<text_span>& spans) {
  std::string out;
  for (const auto& span : spans) out += span.text;
  return out;
}

outcome render(std::string_view source, const chat_template_input& input) {
  auto parsed = chat_template::parse(source);
  if (!parsed) return {true, parsed.error().code, parsed.error().message, {}};
  auto spans = parsed->render(input);
  if (!spans) return {true, spans.error().code, spans.error().message, {}};
  auto text = joined(*spans);
  return {false, error_code::internal, std::move(text), std::move(*spans)};
}

}  // namespace neap::text::test
