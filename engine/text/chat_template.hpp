#pragma once
// A model's own chat template: the subset of Jinja that published templates use.

#include "engine/text/tokenizer.hpp"
#include "engine/text/tool_calls/tool_call_format.hpp"
#include "messages/json_value.hpp"
#include "messages/result.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

struct chat_template_input {
  const json_value* messages = nullptr;            // array of objects
  const json_value* tools = nullptr;               // array, or null
  const json_value* template_arguments = nullptr;  // object of extra names, or null
  bool add_generation_prompt = true;
  std::string bos_token;
  std::string eos_token;
  std::int64_t now_unix_seconds = 0;  // for strftime_now; local wall clock injected
};

// Parsed once, rendered often; immutable and safe to share between threads.
class chat_template {
 public:
  // Error: invalid_model_file with line and what was expected.
  static result<chat_template> parse(std::string_view source);

  chat_template(chat_template&&) noexcept;
  chat_template& operator=(chat_template&&) noexcept;
  ~chat_template();

  // Spans in order: text of the template itself has parse_special, text that came from the input has not;
  // every character keeps its origin through filters, slices and concatenation. Errors: template_refused with
  // the template's own message from raise_exception; internal limits (output 16 MiB, 1,000,000 steps, depth
  // 64) also give template_refused.
  result<std::vector<text_span>> render(const chat_template_input& input) const;

  // Whether the template reads `tools` at all; where it does not, tools of a request have no effect.
  bool uses_tools() const noexcept;

  // How it teaches its model to write tool calls.
  tool_call_format tool_calls() const noexcept;

 private:
  struct program;
  explicit chat_template(std::unique_ptr<const program> program);
  std::unique_ptr<const program> program_;
};

}  // namespace neap::text
