#include "server/cli/inspect_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace neap::cli {
namespace {

std::string text_of(const json_value* value) {
  if (value == nullptr || value->is_null()) return "-";
  if (const auto* text = value->string()) return *text;
  if (const auto* flag = std::get_if<bool>(&value->data)) return *flag ? "yes" : "no";
  if (const auto* count = std::get_if<std::int64_t>(&value->data)) return std::to_string(*count);
  if (const auto* real = std::get_if<double>(&value->data)) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), *real == std::floor(*real) ? "%.0f" : "%.3f", *real);
    return buffer.data();
  }
  return "-";
}

// 950 -> "950 ms", 61000 -> "1m01s".
std::string span_of(const json_value* milliseconds) {
  if (milliseconds == nullptr) return "-";
  const auto* real = std::get_if<double>(&milliseconds->data);
  const auto* whole = std::get_if<std::int64_t>(&milliseconds->data);
  if (real == nullptr && whole == nullptr) return "-";
  const double ms = real != nullptr ? *real : static_cast<double>(*whole);
  std::array<char, 32> buffer{};
  const auto seconds = static_cast<long long>(ms / 1000);
  if (ms < 1000)
    std::snprintf(buffer.data(), buffer.size(), "%.0f ms", ms);
  else if (seconds < 60)
    std::snprintf(buffer.data(), buffer.size(), "%.1f s", ms / 1000);
  else if (seconds < 3600)
    std::snprintf(buffer.data(), buffer.size(), "%lldm%02llds", seconds / 60, seconds % 60);
  else
    std::snprintf(buffer.data(), buffer.size(), "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
  return buffer.data();
}

std::string state_of(const json_value& actor) {
  if (const auto* answered = actor.find("answered"); text_of(answered) == "no") return "does not answer";
  const auto* state = actor.find("state");
  if (state == nullptr || state->object() == nullptr) return "-";
  std::string out;
  for (const auto& [name, value] : *state->object())
    out += (out.empty() ? "" : ", ") + name + " " + text_of(&value);
  return out.empty() ? "-" : out;
}

using row = std::vector<std::string>;

// Columns as wide as their widest cell; the last one is open.
std::string lay_out(std::span<const row> rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& each : rows)
    for (std::size_t i = 0; i < each.size(); ++i) widths[i] = std::max(widths[i], each[i].size());
  std::string out;
  for (const auto& each : rows) {
    for (std::size_t i = 0; i + 1 < each.size(); ++i)
      out += each[i] + std::string(widths[i] - each[i].size() + 2, ' ');
    out += each.back() + "\n";
  }
  return out;
}

const json_array& entries(const json_value& body) {
  static const json_array none;
  const auto* data = body.find("data");
  return data != nullptr && data->array() != nullptr ? *data->array() : none;
}

}  // namespace

std::string actors_table(const json_value& body) {
  std::vector<row> rows{{"ACTOR", "AGE", "RESTARTS", "HANDLED", "QUEUED", "BUSY FOR", "BUSY", "STATE"}};
  for (const auto& each : entries(body))
    rows.push_back({text_of(each.find("name")), span_of(each.find("age_ms")), text_of(each.find("restarts")),
                    text_of(each.find("handled")), text_of(each.find("queued")),
                    span_of(each.find("busy_for_ms")), span_of(each.find("busy_total_ms")), state_of(each)});
  return lay_out(rows);
}

std::string requests_table(const json_value& body) {
  std::vector<row> rows{{"REQUEST", "AGE", "STAGE", "TIER", "TYPE", "GROUP", "LANE", "PROMPT", "ANSWER", "BLOCKS",
                         "CHOICES", "MODEL"}};
  for (const auto& each : entries(body)) {
    const auto at = [&](const char* name) { return text_of(each.find(name)); };
    rows.push_back({at("id"), span_of(each.find("age_ms")), at("stage"), at("tier"), at("request_type"), at("group"),
                    at("lane"), at("prompt_tokens"), at("completion_tokens"), at("kv_blocks"),
                    at("open_choices") + "/" + at("choices"), at("model")});
  }
  return rows.size() == 1 ? "no live requests\n" : lay_out(rows);
}

}  // namespace neap::cli
