// How many answers to each prompt, and what each tells of its tokens.

#include "server/api/request_fields.hpp"

#include <string>

namespace neap::api {

std::uint32_t read_choices(field_reader& fields) {
  const auto count = fields.integer("n", 1, choices_limit).value_or(1);
  // Generating more than are returned would be the server's choice of what the client sees.
  if (const auto best = fields.integer("best_of", 1, choices_limit); best && *best != count) {
    fields.fail("best_of", "other than n is not supported; leave it out", error_code::unsupported_field);
  }
  return static_cast<std::uint32_t>(count);
}

namespace {

constexpr std::int64_t logprobs_limit = 20;

std::optional<std::int32_t> read_chat_logprobs(field_reader& fields) {
  const bool wanted = fields.boolean("logprobs").value_or(false);
  const auto count = fields.integer("top_logprobs", 0, logprobs_limit);
  if (wanted) return static_cast<std::int32_t>(count.value_or(0));
  if (count.value_or(0) != 0) fields.fail("top_logprobs", "needs logprobs: true");
  return std::nullopt;
}

std::optional<std::int32_t> read_completion_logprobs(field_reader& fields) {
  const auto* value = fields.any("logprobs");
  const auto* flag = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
  if (value == nullptr || (flag != nullptr && !*flag)) return std::nullopt;
  const auto count = as_integer(*value);
  if (count && *count >= 0 && *count <= logprobs_limit) return static_cast<std::int32_t>(*count);
  fields.fail("logprobs", "must be an integer from 0 to " + std::to_string(logprobs_limit));
  return std::nullopt;
}

}  // namespace

bool read_echo(field_reader& fields, endpoint where) {
  if (!fields.boolean("echo").value_or(false)) return false;
  if (where == endpoint::completions) return true;
  fields.fail("echo", "is not supported here; leave it out", error_code::unsupported_field);
  return false;
}

bool read_logprobs(field_reader& fields, endpoint where, bool echo, sampling_params& sampling) {
  const auto count = where == endpoint::chat ? read_chat_logprobs(fields) : read_completion_logprobs(fields);
  if (!count) return false;
  sampling.logprobs = *count;
  sampling.prompt_logprobs = echo;
  return true;
}

}  // namespace neap::api
