#include "server/api/request_fields.hpp"

#include <algorithm>
#include <utility>

namespace neap::api {
namespace {

constexpr std::string_view forms =
    "must be a string, an array of strings, an array of token ids or an array of such arrays";

bool is_number(const json_value& value) { return as_number(value).has_value(); }

std::optional<token_prompt> read_tokens(field_reader& fields, std::string_view name, const json_array& ids,
                                        std::uint32_t vocabulary) {
  token_prompt out;
  out.tokens.reserve(ids.size());
  for (const auto& item : ids) {
    const auto id = as_integer(item);
    if (!id || *id < 0 || *id >= vocabulary) {
      fields.fail(name, "must hold token ids from 0 to " + std::to_string(vocabulary - 1));
      return std::nullopt;
    }
    out.tokens.push_back(static_cast<token_id>(*id));
  }
  if (out.tokens.empty()) {
    fields.fail(name, "must not hold an empty array of token ids");
    return std::nullopt;
  }
  return out;
}

void read_list(field_reader& fields, std::string_view name, const json_array& list, std::uint32_t vocabulary,
               const text_prompt& settings, std::vector<prompt>& out) {
  for (const auto& item : list) {
    if (const auto* text = item.string()) {
      text_prompt one = settings;
      one.text = *text;
      out.emplace_back(std::move(one));
    } else if (const auto* ids = item.array()) {
      auto tokens = read_tokens(fields, name, *ids, vocabulary);
      if (!tokens) return;
      out.emplace_back(std::move(*tokens));
    } else {
      return fields.fail(name, forms);
    }
    if (out.back().index() != out.front().index()) return fields.fail(name, forms);
  }
}

}  // namespace

std::vector<prompt> read_prompts(field_reader& fields, std::string_view name, std::uint32_t vocabulary) {
  std::vector<prompt> out;
  text_prompt settings;
  settings.parse_special = fields.boolean("parse_special").value_or(false);
  settings.add_special_tokens = fields.boolean("add_special_tokens").value_or(true);
  const auto* given = fields.any(name);
  const auto* list = given == nullptr ? nullptr : given->array();
  if (given == nullptr) {
    fields.fail(name, "is required");
  } else if (const auto* text = given->string()) {
    settings.text = *text;
    out.emplace_back(std::move(settings));
  } else if (list == nullptr) {
    fields.fail(name, forms);
  } else if (list->empty()) {
    fields.fail(name, "must not be an empty array");
  } else if (is_number(list->front())) {
    if (auto tokens = read_tokens(fields, name, *list, vocabulary)) out.emplace_back(std::move(*tokens));
  } else if (list->size() > prompt_list_limit) {
    fields.fail(name, "has more than " + std::to_string(prompt_list_limit) + " entries");
  } else {
    read_list(fields, name, *list, vocabulary, settings, out);
  }
  return out;
}

}  // namespace neap::api
