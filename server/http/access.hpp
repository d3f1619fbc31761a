#pragma once
// Who may call what: API keys with a tier each, the admin key, browser origins. Pure rules; the connection asks
// before it reads a body. A key exists in memory only as its SHA-256 digest.

#include "messages/error.hpp"
#include "messages/result.hpp"
#include "messages/routing.hpp"
#include "server/http/http_message.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neap::http {

using key_digest = std::array<unsigned char, 32>;

struct api_key {
  key_digest digest{};
  service_tier tier = service_tier::standard;  // the best that its requests get
};

// SHA-256 (FIPS 180-4) of a key.
key_digest digest_of(std::string_view key);

// Equal, in a time that does not depend on where they differ.
bool equal_digests(const key_digest& a, const key_digest& b) noexcept;

// Keys from a file's text: one a line, optionally followed by `tier=vip` or `tier=standard`; empty lines and lines
// that begin with # are skipped. Errors name the line, never the key.
result<std::vector<api_key>> parse_key_file(std::string_view text, const std::string& file_name);

// A key given alone. Error: fewer than 8 bytes, blanks, or bytes that no header can carry.
result<api_key> make_api_key(std::string_view key, service_tier tier);

struct access_rules {
  std::vector<api_key> keys;        // none: everybody may use the user routes
  std::optional<api_key> admin;     // none: admin routes answer loopback clients only
  std::vector<std::string> origins;  // of browsers, lower case, like "https://example.org"; "*" = all
};

enum class access_class : std::uint8_t {
  open,   // health and readiness
  user,   // needs one of the keys, or the admin key
  admin,  // needs the admin key, or a loopback client where there is none
};

// What a caller may have.
struct caller {
  service_tier best_tier = service_tier::vip;
};

// Lets a request through or says why not: invalid_api_key (401). `loopback`: the client is on this machine. Every key is
// compared, whatever comes first. Keys count only in `Authorization: Bearer`.
result<caller> authorise(const request_head& head, access_class needed, bool loopback, const access_rules& rules);
// The same for a key that came by another way than the header; empty if none came.
result<caller> authorise_key(std::string_view key, access_class needed, bool loopback, const access_rules& rules);

// A request may lower, never raise, the tier that its key allows.
void limit_tier(routing_tag& tag, const caller& from) noexcept;

// "https://chat.example.org", "http://[::1]:3000", "app-scheme://id": scheme, host and port, nothing behind them.
bool is_origin(std::string_view text);

// True if pages of this origin may read answers.
bool origin_allowed(std::string_view origin, const access_rules& rules);

// True if a page of this origin was loaded from the host that it now asks.
bool is_same_origin(std::string_view origin, std::string_view host);

// False for a request that a browser sends for a page of another server that may not call. Browsers send simple POSTs
// without asking first, so leaving out CORS headers alone would hide the answer but do the work.
bool page_may_call(const request_head& head, const access_rules& rules);

// CORS headers for the answer to a request (Fetch standard, "CORS protocol"); none without an allowed Origin.
std::vector<std::pair<std::string, std::string>> cors_headers(const request_head& head, const access_rules& rules);
// Further ones for a preflight (OPTIONS with Access-Control-Request-Method); `methods`: of the route.
std::vector<std::pair<std::string, std::string>> preflight_headers(const request_head& head,
                                                                   const std::string& methods);

}  // namespace neap::http
