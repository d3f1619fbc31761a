// How many answers to each prompt.

#include "server/api/request_fields.hpp"

namespace neap::api {

std::uint32_t read_choices(field_reader& fields) {
  const auto count = fields.integer("n", 1, choices_limit).value_or(1);
  // Generating more than are returned would be the server's choice of what the client sees.
  if (const auto best = fields.integer("best_of", 1, choices_limit); best && *best != count) {
    fields.fail("best_of", "other than n is not supported; leave it out", error_code::unsupported_field);
  }
  return static_cast<std::uint32_t>(count);
}

}  // namespace neap::api
