#include "server/api/quote.hpp"
#include "server/api/request_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace neap::api {
namespace {

float read_float(field_reader& fields, std::string_view name, double low, double high, float otherwise) {
  const auto value = fields.number(name, low, high);
  return value ? static_cast<float>(*value) : otherwise;
}

// A token id in decimal without sign or blanks, below the vocabulary size.
std::optional<token_id> parse_token_key(std::string_view key, std::uint32_t vocabulary) {
  std::uint32_t id = 0;
  const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (failure != std::errc{} || end != key.data() + key.size() || id >= vocabulary) return std::nullopt;
  return static_cast<token_id>(id);
}

void read_bias(field_reader& fields, std::uint32_t vocabulary, sampling_params& out) {
  const auto* bias = fields.object("logit_bias");
  if (bias == nullptr) return;
  const auto& members = *bias->object();
  if (members.size() > bias_limit) {
    return fields.fail("logit_bias", "has more than " + std::to_string(bias_limit) + " entries");
  }
  for (const auto& [key, value] : members) {
    const auto id = parse_token_key(key, vocabulary);
    if (!id) {
      return fields.fail("logit_bias", "key " + quote(key) + " is not a token id from 0 to " +
                                           std::to_string(vocabulary - 1));
    }
    const auto number = as_number(value);
    if (!number || std::abs(*number) > 100.0) {
      return fields.fail("logit_bias", "value of key " + quote(key) + " must be a number from -100 to 100");
    }
    out.logit_bias.emplace_back(*id, static_cast<float>(*number));
  }
  std::sort(out.logit_bias.begin(), out.logit_bias.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(out.logit_bias.begin(), out.logit_bias.end(), same);
  if (twice != out.logit_bias.end()) {
    fields.fail("logit_bias", "names token " + std::to_string(twice->first) + " twice");
  }
}

}  // namespace

sampling_params read_sampling(field_reader& fields, std::uint32_t vocabulary, std::uint64_t random_seed) {
  sampling_params out;
  out.temperature = read_float(fields, "temperature", 0.0, 2.0, out.temperature);
  out.top_p = read_float(fields, "top_p", 0.0, 1.0, out.top_p);
  out.min_p = read_float(fields, "min_p", 0.0, 1.0, out.min_p);
  out.repetition_penalty = read_float(fields, "repetition_penalty", 0.01, 10.0, out.repetition_penalty);
  out.presence_penalty = read_float(fields, "presence_penalty", -2.0, 2.0, out.presence_penalty);
  out.frequency_penalty = read_float(fields, "frequency_penalty", -2.0, 2.0, out.frequency_penalty);
  // -1 switches it off, as in vLLM.
  if (const auto k = fields.integer("top_k", -1, int64_max)) {
    out.top_k = static_cast<std::int32_t>(std::clamp<std::int64_t>(*k, 0, vocabulary));
  }
  const auto seed = fields.integer("seed", std::numeric_limits<std::int64_t>::min(), int64_max);
  out.seed = seed ? static_cast<std::uint64_t>(*seed) : random_seed;
  read_bias(fields, vocabulary, out);
  return out;
}

}  // namespace neap::api
