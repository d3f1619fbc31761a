#include "engine/model/metadata_reader.hpp"

#include <cmath>
#include <utility>

namespace neap::model {

void metadata_reader::fail(error reason) {
  if (!failure_) failure_ = std::move(reason);
}

void metadata_reader::fail(std::string_view key, const std::string& problem) {
  fail(error{error_code::invalid_model_file, "GGUF: " + full(key) + " " + problem, ""});
}

std::uint32_t metadata_reader::uint(std::string_view key, std::uint32_t low, std::uint32_t high,
                                    std::optional<std::uint32_t> fallback) {
  const auto value = file_.get_uint(full(key));
  if (!value) {
    fail(value.error());
  } else if (!*value) {
    if (fallback) return *fallback;
    fail(key, "is missing");
  } else if (**value < low || **value > high) {
    fail(key, "is " + std::to_string(**value) + ", not in [" + std::to_string(low) + ", " +
                  std::to_string(high) + "]");
  } else {
    return static_cast<std::uint32_t>(**value);
  }
  return low;
}

double metadata_reader::number(std::string_view key, double low, double high,
                               std::optional<double> fallback) {
  const auto value = file_.get_float(full(key));
  if (!value) {
    fail(value.error());
  } else if (!*value) {
    if (fallback) return *fallback;
    fail(key, "is missing");
  } else if (**value < low || **value > high) {
    fail(key, "is " + std::to_string(**value) + ", out of range");
  } else {
    return **value;
  }
  return low;
}

std::string_view metadata_reader::text(std::string_view key, std::string_view fallback) {
  return text_at(full(key), fallback);
}

std::string_view metadata_reader::text_at(std::string_view full_key, std::string_view fallback) {
  const auto value = file_.get_string(full_key);
  if (!value) fail(value.error());
  return value && *value ? **value : fallback;
}

void metadata_reader::require(bool condition, std::string_view key, const std::string& problem) {
  if (!condition) fail(key, problem);
}

void metadata_reader::fail_unsupported(std::string_view key) {
  fail(error{error_code::unsupported_model, "models with this " + full(key) + " are not supported", ""});
}

void metadata_reader::refuse_unless(std::string_view key, double neutral) {
  const auto value = file_.get_float(full(key));
  // Written as a float, so the double nearest to `neutral` need not come back.
  if (!value || (*value && std::abs(**value - neutral) > 1e-6)) fail_unsupported(key);
}

void metadata_reader::refuse_unless(std::string_view key, bool neutral) {
  const auto value = file_.get_bool(full(key));
  if (!value || (*value && **value != neutral)) fail_unsupported(key);
}

}  // namespace neap::model
