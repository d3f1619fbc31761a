// Model, lengths, stops, routing, answer options.

#include "engine/text/utf8.hpp"
#include "server/api/quote.hpp"
#include "server/api/request_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace neap::api {
namespace {

using name_list = std::initializer_list<std::string_view>;

// Index of a string field's value in `names`; nullopt if absent or wrong.
std::optional<std::size_t> read_choice(field_reader& fields, std::string_view name, name_list names) {
  const auto* text = fields.string(name);
  if (text == nullptr) return std::nullopt;
  const auto* found = std::find(names.begin(), names.end(), std::string_view(*text));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string all;
  for (const auto& choice : names) all += (all.empty() ? "" : ", ") + std::string(choice);
  fields.fail(name, quote(*text) + " is not one of: " + all);
  return std::nullopt;
}

void add_stop(field_reader& fields, const json_value& item, stop_rules& out) {
  const auto* text = item.string();
  if (text == nullptr) return fields.fail("stop", "must be a string or an array of strings");
  if (text->empty() || text->size() > stop_bytes_limit) {
    return fields.fail("stop", "strings must have 1 to " + std::to_string(stop_bytes_limit) + " bytes");
  }
  out.strings.push_back(*text);
}

void read_stop_ids(field_reader& fields, std::uint32_t vocabulary, stop_rules& out) {
  const auto* ids = fields.array("stop_token_ids");
  if (ids == nullptr) return;
  if (ids->size() > stop_ids_limit) {
    return fields.fail("stop_token_ids", "has more than " + std::to_string(stop_ids_limit) + " entries");
  }
  for (const auto& item : *ids) {
    const auto id = as_integer(item);
    if (!id || *id < 0 || *id >= vocabulary) {
      return fields.fail("stop_token_ids", "must hold token ids from 0 to " + std::to_string(vocabulary - 1));
    }
    out.token_ids.push_back(static_cast<token_id>(*id));
  }
}

}  // namespace

const served_model* read_model(field_reader& fields, const std::vector<served_model>& models) {
  const auto* name = fields.string("model");
  if (fields.failed()) return nullptr;
  if (models.empty()) {
    fields.fail(error{error_code::model_loading, "the model is still loading; try again soon", {}});
    return nullptr;
  }
  if (name == nullptr || *name == "default") return &models.front();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.name == *name; });
  if (found != models.end()) return &*found;
  fields.fail(error{error_code::model_not_found,
                    "the model " + quote(*name) + " is not served here; GET /v1/models lists what is",
                    "model"});
  return nullptr;
}

stop_rules read_stop(field_reader& fields, std::uint32_t vocabulary) {
  stop_rules out;
  if (const auto* stop = fields.any("stop")) {
    if (const auto* list = stop->array()) {
      if (list->size() > stop_limit) {
        fields.fail("stop", "has more than " + std::to_string(stop_limit) + " strings");
      } else {
        for (const auto& item : *list) add_stop(fields, item, out);
      }
    } else {
      add_stop(fields, *stop, out);
    }
  }
  read_stop_ids(fields, vocabulary, out);
  out.ignore_eos = fields.boolean("ignore_eos").value_or(false);
  return out;
}

std::optional<std::uint32_t> read_max_tokens(field_reader& fields, std::uint32_t context_length,
                                             std::int64_t lowest) {
  const auto old_name = fields.integer("max_tokens", lowest, int64_max);
  const auto new_name = fields.integer("max_completion_tokens", lowest, int64_max);
  if (old_name && new_name && *old_name != *new_name) {
    fields.fail("max_completion_tokens", "and max_tokens are the same limit; give only one");
  }
  const auto limit = new_name ? new_name : old_name;
  if (!limit) return std::nullopt;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(*limit, context_length));
}

routing_tag read_routing(field_reader& fields) {
  routing_tag tag;
  constexpr std::int64_t bound = std::numeric_limits<std::int32_t>::max();
  if (const auto priority = fields.integer("priority", -bound, bound)) {
    tag.priority = static_cast<std::int32_t>(*priority);
  }
  bool flex = false;
  if (const auto tier =
          read_choice(fields, "service_tier", {"auto", "default", "standard", "priority", "vip", "flex"})) {
    tag.tier = *tier == 3 || *tier == 4 ? service_tier::vip : service_tier::standard;
    flex = *tier == 5;
  }
  if (const auto type = read_choice(fields, "request_type", {"interactive", "batch"})) {
    tag.type = *type == 1 ? request_type::batch : request_type::interactive;
  } else if (flex) {
    tag.type = request_type::batch;
  }
  if (const auto kind = read_choice(fields, "sensitivity", {"realtime", "normal"})) {
    tag.sensitivity = *kind == 0 ? sensitivity::realtime : sensitivity::normal;
  }
  return tag;
}

std::optional<std::chrono::milliseconds> read_deadline(field_reader& fields) {
  constexpr std::int64_t day_ms = 86'400'000;
  const auto ms = fields.integer("deadline_ms", 1, day_ms);
  return ms ? std::optional{std::chrono::milliseconds(*ms)} : std::nullopt;
}

std::vector<std::string> ignored_fields_of(const field_reader& fields) {
  auto names = fields.unknown();
  if (names.size() > ignored_limit) names.resize(ignored_limit);
  for (auto& name : names) name = text::clip_utf8(name, 64);
  return names;
}

void read_answer_options(field_reader& fields, answer_options& answer) {
  if (const auto* tier = fields.string("service_tier"))
    answer.service_tier = *tier == "priority" || *tier == "vip" ? "priority" : *tier == "flex" ? "flex" : "default";
  answer.stream = fields.boolean("stream").value_or(false);
  answer.return_token_ids = fields.boolean("return_token_ids").value_or(false);
  if (const auto* options = fields.object("stream_options")) {
    field_reader inner(*options, "stream_options.");
    answer.include_usage = inner.boolean("include_usage").value_or(false);
    if (inner.failed()) fields.fail(*inner.fault());
  }
}

void read_metadata(field_reader& fields) {
  const auto* metadata = fields.object("metadata");
  if (metadata == nullptr) return;
  const auto& entries = *metadata->object();
  const bool fits = std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
    const auto* text = entry.second.string();
    return entry.first.size() <= metadata_name_limit && text != nullptr && text->size() <= metadata_text_limit;
  });
  if (!fits || entries.size() > metadata_limit)
    fields.fail("metadata", "holds up to 16 strings of up to 512 bytes, with names of up to 64");
}

}  // namespace neap::api
