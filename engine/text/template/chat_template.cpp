#include "engine/text/chat_template.hpp"

#include "engine/text/template/globals.hpp"
#include "engine/text/template/interpreter.hpp"
#include "engine/text/template/parser.hpp"
#include "engine/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace neap::text {
namespace {

constexpr std::size_t max_message_bytes = 200;

std::string one_line(std::string message) {
  message = replace_invalid_utf8(message);
  for (auto& c : message)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return std::string{truncate_utf8(message, max_message_bytes)};
}

std::string at_line(const jinja::template_error& problem) {
  return problem.line == 0 ? "" : " (line " + std::to_string(problem.line) + ")";
}

std::vector<text_span> to_spans(const jinja::tainted_string& text) {
  std::vector<text_span> spans;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text.at(end) == text.at(i)) ++end;
    spans.push_back({text.text().substr(i, end - i), text.at(i) == jinja::origin::model});
    i = end;
  }
  return spans;
}

void set_input(jinja::interpreter& in, const chat_template_input& input) {
  using jinja::value;
  jinja::add_globals(in, input.now_unix_seconds);
  in.set_global("bos_token", value::text(input.bos_token, jinja::origin::model));
  in.set_global("eos_token", value::text(input.eos_token, jinja::origin::model));
  in.set_global("add_generation_prompt", input.add_generation_prompt);
  in.set_global("messages",
                input.messages != nullptr ? jinja::from_json(*input.messages) : value::from_list({}));
  in.set_global("tools", input.tools != nullptr && !input.tools->is_null() ? jinja::from_json(*input.tools)
                                                                           : value{nullptr});
  if (input.template_arguments == nullptr || input.template_arguments->object() == nullptr) return;
  for (const auto& [name, x] : *input.template_arguments->object())
    if (name != "messages" && name != "tools" && name != "bos_token" && name != "eos_token")
      in.set_global(name, jinja::from_json(x));
}

}  // namespace

struct chat_template::program {
  jinja::statement_list body;
  bool uses_tools = false;
  tool_call_format tool_calls = tool_call_format::none;
};

chat_template::chat_template(std::unique_ptr<const program> parsed) : program_(std::move(parsed)) {}
chat_template::chat_template(chat_template&&) noexcept = default;
chat_template& chat_template::operator=(chat_template&&) noexcept = default;
chat_template::~chat_template() = default;

result<chat_template> chat_template::parse(std::string_view source) {
  try {
    auto parsed = std::make_unique<program>();
    auto tokens = jinja::tokenize(source);
    parsed->uses_tools = std::any_of(tokens.begin(), tokens.end(), [](const jinja::token& token) {
      return token.kind == jinja::token_kind::name && token.text == "tools";
    });
    if (parsed->uses_tools) parsed->tool_calls = detect_tool_call_format(source);
    parsed->body = jinja::parser{std::move(tokens)}.parse_template();
    return chat_template{std::move(parsed)};
  } catch (const jinja::template_error& problem) {
    return error{error_code::invalid_model_file,
                 "chat template: " + one_line(problem.message) + at_line(problem), ""};
  }
}

bool chat_template::uses_tools() const noexcept { return program_->uses_tools; }

tool_call_format chat_template::tool_calls() const noexcept { return program_->tool_calls; }

result<std::vector<text_span>> chat_template::render(const chat_template_input& input) const {
  try {
    jinja::interpreter in{jinja::render_limits{}};
    set_input(in, input);
    return to_spans(in.render(program_->body));
  } catch (const jinja::template_error& problem) {
    return error{error_code::template_refused,
                 "chat template: " + one_line(problem.message) + at_line(problem), "messages"};
  }
}

}  // namespace neap::text
