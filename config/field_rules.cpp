#include "config/field_rules.hpp"

#include "config/byte_size.hpp"
#include "config/field_access.hpp"
#include "messages/quote.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace neap::config {
namespace {

// Whether the text is UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF.
bool is_utf8(std::string_view text) {
  std::size_t rest = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (rest > 0) {
      if ((byte & 0xC0U) != 0x80U) return false;
      code = (code << 6) | (byte & 0x3FU);
      if (--rest == 0 && (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)))
        return false;
    } else if (byte >= 0x80) {
      if (byte < 0xC0 || byte > 0xF7) return false;
      rest = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
      code = byte & (0x3FU >> rest);
      least = rest == 1 ? 0x80U : rest == 2 ? 0x800U : 0x10000U;
    }
  }
  return rest == 0;
}

struct range_rule {
  std::string_view path;
  std::uint64_t low;
  std::uint64_t high;
  bool zero_too = false;  // 0 has a meaning of its own
};

struct choice_rule {
  std::string_view path;
  std::vector<std::string_view> choices;
};

constexpr std::array ranges{
    range_rule{"model.max_model_len", 16, 4'194'304, true},
    range_rule{"model.threads", 0, 1024},
    range_rule{"http.port", 0, 65'535},
    range_rule{"http.max_body_bytes", 1024, 1'073'741'824},
    range_rule{"http.max_header_bytes", 1024, 1'048'576},
    range_rule{"http.header_timeout_ms", 100, 600'000},
    range_rule{"http.min_body_bytes_per_second", 1, 1'073'741'824},
    range_rule{"http.idle_timeout_ms", 100, 86'400'000},
    range_rule{"http.stalled_timeout_ms", 100, 3'600'000},
    range_rule{"http.max_output_bytes", 16'384, 67'108'864},
    range_rule{"http.drain_timeout_ms", 0, 3'600'000},
    range_rule{"http.max_connections", 1, 65'536},
    range_rule{"http.max_all_bodies_bytes", 1'048'576, 4'294'967'295},
    range_rule{"http.keep_alive_comment_ms", 0, 3'600'000},
    range_rule{"http.websocket_idle_timeout_ms", 1'000, 86'400'000},
    range_rule{"batching.max_num_seqs", 1, 1024},
    range_rule{"batching.max_num_batched_tokens", 16, 65'536},
    range_rule{"batching.batch_window_ms", 0, 1000},
    range_rule{"batching.max_queue", 1, 1'000'000},
    range_rule{"batching.max_completion_tokens", 1, 4'194'304},
    range_rule{"runtime.scheduler_threads", 1, 64},
};

const std::array<choice_rule, 5>& choices() {
  static const std::array<choice_rule, 5> table{{
      {"model.dtype", {"auto", "float32"}},
      {"model.device", {"auto", "cpu", "cuda"}},
      {"memory.kv_cache_dtype", {"auto", "f16", "f32"}},
      {"runtime.scheduler_policy", {"sharing", "stealing"}},
      {"runtime.log_level", {"trace", "debug", "info", "warn", "error", "off"}},
  }};
  return table;
}

// Any text or either switch position is right.
constexpr std::array free_fields = std::to_array<std::string_view>(
    {"model.path", "model.served_name", "model.chat_template", "http.host", "http.insecure", "http.api_key",
     "http.api_key_file", "http.admin_key", "http.allowed_origins", "http.tls_certificate", "http.tls_key",
     "http.websocket_deflate"});

// Free fields that may not be empty: an empty host would listen on every address.
constexpr std::string_view host_field = "http.host";

// Texts reach the file system, the resolver, or JSON answers.
std::optional<broken_rule> check_text(const Config& config, std::string_view path) {
  const auto value = get_field(config, path);
  const bool secret = path.ends_with("_key") && path != "http.tls_key";
  const auto broken = [&](const char* message) {
    return broken_rule{std::string(path), (secret ? "the key" : quote(value)) + message};
  };
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(value.begin(), value.end(), control)) return broken(" holds control characters");
  if (!is_utf8(value)) return broken(" is not UTF-8");
  if (path == host_field && value.empty()) return broken(" is no address; use 127.0.0.1 or another");
  return std::nullopt;
}

constexpr std::string_view size_field = "memory.kv_cache_max";

std::optional<broken_rule> check_range(const Config& config, const range_rule& rule) {
  const auto value = std::stoull(get_field(config, rule.path));
  if ((value >= rule.low && value <= rule.high) || (rule.zero_too && value == 0)) return std::nullopt;
  return broken_rule{std::string(rule.path), std::to_string(value) + " is out of range; use " +
                                                 (rule.zero_too ? "0 or " : "") + std::to_string(rule.low) +
                                                 " to " + std::to_string(rule.high)};
}

std::optional<broken_rule> check_choice(const Config& config, const choice_rule& rule) {
  const auto value = get_field(config, rule.path);
  std::string all;
  for (const auto& choice : rule.choices) {
    if (choice == value) return std::nullopt;
    all += (all.empty() ? "" : ", ") + std::string(choice);
  }
  return broken_rule{std::string(rule.path), quote(value) + " is not one of: " + all};
}

std::optional<broken_rule> check_size(const Config& config) {
  const auto text = get_field(config, size_field);
  const auto bytes = parse_byte_size(text);
  if (bytes && (*bytes == 0 || *bytes >= (std::uint64_t{1} << 20)) && *bytes <= (std::uint64_t{1024} << 30))
    return std::nullopt;
  return broken_rule{std::string(size_field),
                     quote(text) + " is not a size from 1M to 1024G, or 0; write it like 512M or 8G"};
}

}  // namespace

std::optional<broken_rule> check_rules(const Config& config) {
  for (const auto& rule : ranges) {
    if (auto broken = check_range(config, rule)) return broken;
  }
  for (const auto& rule : choices()) {
    if (auto broken = check_choice(config, rule)) return broken;
  }
  for (const auto& path : free_fields) {
    if (auto broken = check_text(config, path)) return broken;
  }
  return check_size(config);
}

bool has_rule(std::string_view path) {
  const auto is = [path](const auto& rule) { return rule.path == path; };
  return std::any_of(ranges.begin(), ranges.end(), is) ||
         std::any_of(choices().begin(), choices().end(), is) || path == size_field ||
         std::find(free_fields.begin(), free_fields.end(), path) != free_fields.end();
}

}  // namespace neap::config
