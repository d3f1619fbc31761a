#include "server/api/json_writer.hpp"

#include "engine/text/utf8.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace neap::api {
namespace {

void append_escape(std::string& out, unsigned code) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "\\u%04x", code);
  out += buffer.data();
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
    append_escape(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

// Escapes U+0085, U+2028 and U+2029 at `at` of valid UTF-8; returns the bytes used, 0 if it is none of them.
std::size_t append_line_separator(std::string& out, std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  if (rest.starts_with("\xC2\x85")) {
    out += "\\u0085";
    return 2;
  }
  if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
    out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
    return 3;
  }
  return 0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view raw) {
  const std::string text = text::replace_invalid_utf8(raw);
  out.reserve(out.size() + text.size() + 2);
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      append_ascii(out, text[i++]);
    } else if (const auto used = append_line_separator(out, text, i)) {
      i += used;
    } else {
      out += text[i++];
    }
  }
  out += '"';
}

void json_writer::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

json_writer& json_writer::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

json_writer& json_writer::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

json_writer& json_writer::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

json_writer& json_writer::null() { return raw("null"); }

json_writer& json_writer::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

json_writer& json_writer::boolean(bool value) { return raw(value ? "true" : "false"); }

json_writer& json_writer::integer(std::int64_t value) { return raw(std::to_string(value)); }

json_writer& json_writer::number(double value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

json_writer& json_writer::real(float value) {
  if (!std::isfinite(value)) return null();
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

json_writer& json_writer::milliseconds(double value) {
  return number(std::isfinite(value) ? std::round(value * 1000.0) / 1000.0 : 0.0);
}

json_writer& json_writer::value(const json_value& document) {
  struct visitor {
    json_writer& out;
    void operator()(std::nullptr_t) const { out.null(); }
    void operator()(bool x) const { out.boolean(x); }
    void operator()(std::int64_t x) const { out.integer(x); }
    void operator()(double x) const { out.number(x); }
    void operator()(const std::string& x) const { out.string(x); }
    void operator()(const json_array& items) const {
      out.begin_array();
      for (const auto& item : items) out.value(item);
      out.end_array();
    }
    void operator()(const json_object& members) const {
      out.begin_object();
      for (const auto& [name, item] : members) out.key(name).value(item);
      out.end_object();
    }
  };
  std::visit(visitor{*this}, document.data);
  return *this;
}

std::string to_json(const json_value& document) { return json_writer{}.value(document).take(); }

}  // namespace neap::api
