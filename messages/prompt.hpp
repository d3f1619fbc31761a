#pragma once

#include "messages/ids.hpp"
#include "messages/json_value.hpp"

#include <string>
#include <variant>
#include <vector>

namespace neap {

// Plain text. Control markers in it are plain characters unless `parse_special`.
struct text_prompt {
  std::string text;
  bool parse_special = false;
  bool add_special_tokens = true;  // BOS/EOS as the model asks; never a second BOS
};

// Token ids as the client gave them; checked against the vocabulary when encoded.
struct token_prompt {
  std::vector<token_id> tokens;
};

// A conversation for the model's chat template.
struct chat_prompt {
  json_value
      messages;  // array of objects with role, content, ...; validated shape, `developer` already `system`
  json_value tools;               // array or null
  json_value template_arguments;  // object or null: extra names visible to the template
  bool add_generation_prompt = true;
};

using prompt = std::variant<text_prompt, token_prompt, chat_prompt>;

}  // namespace neap
