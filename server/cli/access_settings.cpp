#include "server/cli/access_settings.hpp"

#include "messages/quote.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace neap::cli {
namespace {

constexpr std::size_t key_file_limit = 16 * 1024 * 1024;

error bad(const std::string& field, const std::string& what) {
  return {error_code::invalid_configuration, field + ": " + what, field};
}

std::string environment(const char* name) {
  const auto* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

result<void> add_key(const std::string& field, const std::string& key, std::vector<http::api_key>& to) {
  if (key.empty()) return {};
  auto made = http::make_api_key(key, service_tier::vip);
  if (!made) return bad(field, made.error().message);
  to.push_back(*made);
  return {};
}

result<void> add_file(const std::string& path, std::vector<http::api_key>& to) {
  if (path.empty()) return {};
  std::error_code ignored;
  // A pipe would block a reload, and can be read once only.
  if (!std::filesystem::is_regular_file(path, ignored))
    return bad("http.api_key_file", quote(path) + " is not there, or no regular file");
  std::ifstream in(path, std::ios::binary);
  std::string text;
  for (char c = 0; text.size() <= key_file_limit && in.get(c);) text += c;
  if (text.empty() && !in.eof()) return bad("http.api_key_file", quote(path) + " cannot be read");
  if (text.size() > key_file_limit) return bad("http.api_key_file", quote(path) + " is too large for a list of keys");
  auto keys = http::parse_key_file(text, path);
  if (!keys) return bad("http.api_key_file", keys.error().message);
  if (keys->empty()) return bad("http.api_key_file", quote(path) + " holds no key");
  to.insert(to.end(), keys->begin(), keys->end());
  return {};
}

// "https://a.example, http://localhost:3000" -> one each, lower case.
result<std::vector<std::string>> origins_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    if (c == ',') return ' ';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::vector<std::string> out;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos; at = text.find_first_not_of(' ', at)) {
    const auto end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
    const auto& origin = out.back();
    if (origin != "*" && !http::is_origin(origin))
      return bad("http.allowed_origins",
                 quote(origin) + " is no origin; write it like https://chat.example.org, without a path");
  }
  return out;
}

}  // namespace

result<http::access_rules> make_access_rules(const config::Config& config) {
  const auto& from = config.http();
  http::access_rules out;
  if (auto added = add_key("http.api_key", from.api_key(), out.keys); !added) return added.error();
  if (auto added = add_key("NEAP_API_KEY", environment("NEAP_API_KEY"), out.keys); !added) return added.error();
  if (auto added = add_file(from.api_key_file(), out.keys); !added) return added.error();
  std::vector<http::api_key> admin;
  const auto admin_key = from.admin_key().empty() ? environment("NEAP_ADMIN_KEY") : from.admin_key();
  if (auto added = add_key("http.admin_key", admin_key, admin); !added) return added.error();
  if (!admin.empty()) out.admin = admin.front();
  auto origins = origins_of(from.allowed_origins());
  if (!origins) return origins.error();
  out.origins = std::move(*origins);
  return out;
}

result<http::tls_context> make_tls(const config::Config& config) {
  const auto& from = config.http();
  if (from.tls_certificate().empty() && from.tls_key().empty()) return http::tls_context{};
  if (from.tls_certificate().empty()) return bad("http.tls_certificate", "is needed beside http.tls_key");
  if (from.tls_key().empty()) return bad("http.tls_key", "is needed beside http.tls_certificate");
  return http::make_tls_context(from.tls_certificate(), from.tls_key());
}

}  // namespace neap::cli
