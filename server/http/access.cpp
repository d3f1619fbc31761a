#include "server/http/access.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <utility>

namespace neap::http {
namespace {

constexpr std::size_t shortest_key = 8;
constexpr std::string_view blanks = " \t\r";
constexpr std::string_view scheme = "bearer ";

error refusal(std::string message) { return {error_code::invalid_api_key, std::move(message), {}}; }

error bad_line(const std::string& file, std::size_t line, const std::string& what) {
  return {error_code::invalid_configuration, file + ":" + std::to_string(line) + ": " + what, {}};
}

std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const auto word = rest.substr(0, rest.find_first_of(blanks));
  rest.remove_prefix(word.size());
  return word;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

// The key of the one Authorization header; empty if there is none of this form.
std::string_view bearer_key(const request_head& head) {
  const auto value = head.value("authorization");
  if (head.count("authorization") != 1 || value.size() < scheme.size()) return {};
  if (lower(value.substr(0, scheme.size())) != scheme) return {};
  auto key = value.substr(scheme.size());
  key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
  return key;
}

}  // namespace

key_digest digest_of(std::string_view key) {
  key_digest out;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), out.data());
  return out;
}

bool equal_digests(const key_digest& a, const key_digest& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

result<api_key> make_api_key(std::string_view key, service_tier tier) {
  const bool plain = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (key.size() < shortest_key || !plain)
    return error{error_code::invalid_configuration,
                 "an API key needs at least " + std::to_string(shortest_key) + " printable characters without blanks",
                 {}};
  return api_key{digest_of(key), tier};
}

result<std::vector<api_key>> parse_key_file(std::string_view text, const std::string& file_name) {
  std::vector<api_key> out;
  if (constexpr std::string_view mark = "\xEF\xBB\xBF"; text.starts_with(mark)) text.remove_prefix(mark.size());
  for (std::size_t line = 1; !text.empty(); ++line) {
    auto rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(rest.size() + 1, text.size()));
    const auto key = take_word(rest);
    if (key.empty() || key.starts_with('#')) continue;
    auto tier = service_tier::standard;
    const auto option = take_word(rest);
    if (option == "tier=vip")
      tier = service_tier::vip;
    else if (!option.empty() && option != "tier=standard")
      return bad_line(file_name, line, "after the key only tier=vip or tier=standard may follow");
    if (!take_word(rest).empty()) return bad_line(file_name, line, "too many words");
    auto made = make_api_key(key, tier);
    if (!made) return bad_line(file_name, line, made.error().message);
    out.push_back(*made);
  }
  return out;
}

result<caller> authorise_key(std::string_view key, access_class needed, bool loopback, const access_rules& rules) {
  const auto digest = digest_of(key);
  std::optional<service_tier> tier;
  for (const auto& each : rules.keys)
    if (equal_digests(each.digest, digest)) tier = tier ? std::min(*tier, each.tier) : each.tier;
  const bool admin = rules.admin && equal_digests(rules.admin->digest, digest);
  if (needed == access_class::open || admin) return caller{};
  if (needed == access_class::admin) {
    if (!rules.admin && loopback) return caller{};
    return refusal(rules.admin ? "this route needs the admin key, as `Authorization: Bearer KEY`"
                               : "this route answers only clients on the server's machine; start it with --admin-key");
  }
  if (rules.keys.empty()) return caller{};
  if (tier) return caller{*tier};
  return refusal(key.empty() ? "send your API key as `Authorization: Bearer KEY`" : "the API key is wrong");
}

result<caller> authorise(const request_head& head, access_class needed, bool loopback, const access_rules& rules) {
  return authorise_key(bearer_key(head), needed, loopback, rules);
}

void limit_tier(routing_tag& tag, const caller& from) noexcept {
  tag.tier = std::max(tag.tier, from.best_tier);  // the better tier has the lower number
}

bool origin_allowed(std::string_view origin, const access_rules& rules) {
  const auto wanted = lower(origin);
  return std::any_of(rules.origins.begin(), rules.origins.end(),
                     [&](const auto& each) { return each == "*" || each == wanted; });
}

bool is_origin(std::string_view text) {
  const auto one_of = [](std::string_view part, auto&& allowed) {
    return !part.empty() && std::all_of(part.begin(), part.end(), allowed);
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.'; };
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || !one_of(text.substr(0, scheme_end), is_word)) return false;
  auto host = text.substr(scheme_end + 3);
  const auto colon = host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
  if (colon != std::string_view::npos) {
    const auto port = host.substr(colon + 1);
    if (port.size() > 5 || !one_of(port, is_digit)) return false;
    host = host.substr(0, colon);
  }
  if (host.size() > 2 && host.starts_with('[') && host.ends_with(']'))
    return one_of(host.substr(1, host.size() - 2), [&](char c) { return is_word(c) || c == ':'; });
  return one_of(host, is_word);
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const auto wanted = lower(origin);
  for (const std::string_view scheme : {"http://", "https://"})
    if (wanted.starts_with(scheme)) return std::string_view(wanted).substr(scheme.size()) == lower(host);
  return false;
}

bool page_may_call(const request_head& head, const access_rules& rules) {
  const auto origin = head.value("origin");
  if (head.count("origin") == 0) return true;
  return head.count("origin") == 1 && (is_same_origin(origin, head.value("host")) || origin_allowed(origin, rules));
}

std::vector<std::pair<std::string, std::string>> cors_headers(const request_head& head, const access_rules& rules) {
  std::vector<std::pair<std::string, std::string>> out;
  if (rules.origins.empty()) return out;
  out.emplace_back("Vary", "Origin");
  const auto origin = head.value("origin");
  if (head.count("origin") != 1 || !origin_allowed(origin, rules)) return out;
  out.emplace_back("Access-Control-Allow-Origin", origin);
  out.emplace_back("Access-Control-Expose-Headers", "X-Request-Id, Retry-After");
  return out;
}

std::vector<std::pair<std::string, std::string>> preflight_headers(const request_head& head,
                                                                   const std::string& methods) {
  std::vector<std::pair<std::string, std::string>> out;
  if (methods.empty()) return out;  // no such route
  out.emplace_back("Access-Control-Allow-Methods", methods);
  // Whatever a client library invents: none of our routes trusts a header because a page may not set it.
  if (const auto asked = head.value("access-control-request-headers"); !asked.empty())
    out.emplace_back("Access-Control-Allow-Headers", asked);
  out.emplace_back("Access-Control-Max-Age", "600");
  return out;
}

}  // namespace neap::http
