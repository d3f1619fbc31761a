#pragma once
// Splits template source into text, expression tags and statement tags, with Jinja's whitespace rules as chat
// templates are rendered: trim_blocks and lstrip_blocks on, one trailing newline of the source dropped.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text::jinja {

enum class token_kind : std::uint8_t {
  text,             // literal output
  expression_open,  // {{
  statement_open,   // {%
  close,            // }} or %}
  name,
  integer,
  real,
  string,
  symbol,  // operator or bracket
  end,
};

struct token {
  token_kind kind = token_kind::end;
  std::string text;
  std::size_t line = 1;
};

// Throws template_error.
std::vector<token> tokenize(std::string_view source);

}  // namespace neap::text::jinja
