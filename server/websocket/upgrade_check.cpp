#include "server/websocket/upgrade_check.hpp"

#include "server/websocket/messages.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace neap::websocket {
namespace {

constexpr std::string_view protocol_field = "sec-websocket-protocol";

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Elements of a comma list over all fields of the name.
std::vector<std::string> elements(const http::request_head& head, std::string_view name) {
  std::vector<std::string> out;
  for (const auto& field : head.fields) {
    if (field.name != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto element = trimmed(rest.substr(0, comma));
      if (!element.empty()) out.emplace_back(element);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return out;
}

// Characters of base64 in either alphabet -> bytes; nothing if others are among them.
std::optional<std::string> decode_base64url(std::string_view text) {
  static constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFFU);
  }
  return out;
}

http::response refusal(std::string message, int status = 400) {
  auto out = http::error_response({error_code::invalid_request, std::move(message), {}});
  out.status = status;
  return out;
}

// 16 bytes in base64: 22 characters that carry them, and the padding.
bool is_handshake_key(std::string_view key) {
  return key.size() == 24 && key.ends_with("==") &&
         std::all_of(key.begin(), key.end() - 2, [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '/'; });
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

bool asks_for_websocket(const http::request_head& head) {
  const auto asked = elements(head, "upgrade");
  return head.method == "GET" && std::any_of(asked.begin(), asked.end(), [](const auto& name) {
           return same_letters(name, "websocket");
         });
}

void move_key_to_header(http::request_head& head) {
  const auto offered = elements(head, protocol_field);
  if (offered.empty()) return;
  std::erase_if(head.fields, [](const auto& field) { return field.name == protocol_field; });
  std::string rest;
  for (const auto& name : offered) {
    if (!name.starts_with(key_prefix)) {
      rest += (rest.empty() ? "" : ", ") + name;
      continue;
    }
    const auto key = decode_base64url(std::string_view(name).substr(key_prefix.size()));
    const bool usable = key && !key->empty() && is_printable(*key);
    // An unusable key must not pass for none.
    if (head.count("authorization") == 0) {
      head.fields.push_back({"authorization", "Bearer " + (usable ? *key : std::string("?"))});
    }
  }
  if (!rest.empty()) head.fields.push_back({std::string(protocol_field), rest});
}

std::optional<http::response> refuse_handshake(const http::request_head& head) {
  const auto connection = elements(head, "connection");
  const bool upgrades = std::any_of(connection.begin(), connection.end(),
                                    [](const auto& token) { return same_letters(token, "upgrade"); });
  if (head.version != 11 || !upgrades) {
    return refusal("a WebSocket needs HTTP/1.1 and `Connection: Upgrade`");
  }
  if (head.value("sec-websocket-version") != "13" || head.count("sec-websocket-version") != 1) {
    auto out = refusal("only version 13 of the WebSocket protocol is known", 426);
    out.headers.emplace_back("Sec-WebSocket-Version", "13");
    return out;
  }
  const auto key = head.value("sec-websocket-key");
  if (head.count("sec-websocket-key") != 1 || !is_handshake_key(key)) {
    return refusal("`Sec-WebSocket-Key` must be 16 bytes in base64");
  }
  if (head.has_body()) return refusal("an upgrade has no body");
  if (choose_subprotocol(head).empty() && head.count(protocol_field) > 0) {
    return refusal("none of the subprotocols is known; offer neap.v1.json or neap.v1.proto");
  }
  return std::nullopt;
}

std::string choose_subprotocol(const http::request_head& head) {
  for (const auto& name : elements(head, protocol_field)) {
    if (name == json_codec().subprotocol() || name == protobuf_codec().subprotocol()) return name;
  }
  return {};
}

}  // namespace neap::websocket
