// Messages as JSON objects with a `type`, in text frames.
#include "server/api/answer_writer.hpp"
#include "server/api/json_reader.hpp"
#include "server/api/json_writer.hpp"
#include "server/api/quote.hpp"
#include "server/websocket/messages.hpp"

#include <utility>

namespace neap::websocket {
namespace {

using read_result = std::variant<client_message, bad_message>;

// Reads members of one message; the first fault wins.
class members {
 public:
  explicit members(const json_value& message) : message_(message) {
    if (const auto* id = message.find("id"); id != nullptr && id->string() != nullptr) {
      if (!check_id(*id->string())) id_ = *id->string();
    }
  }

  std::string id() {
    const auto text = string("id");
    if (fault_.message.empty()) note(check_id(text));
    return text;
  }

  std::string string(std::string_view name) {
    const auto* found = message_.find(name);
    if (found != nullptr && found->string() != nullptr) return *found->string();
    note(error{error_code::invalid_request, "`" + std::string(name) + "` must be a string",
               std::string(name)});
    return {};
  }

  std::optional<std::uint64_t> credits(std::string_view name) {
    const auto* found = message_.find(name);
    if (found == nullptr) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&found->data);
    // A negative number becomes one that is too large.
    const auto tokens = number == nullptr ? credit_limit + 1 : static_cast<std::uint64_t>(*number);
    note(check_credits(tokens, name));
    return tokens;
  }

  const json_value* object(std::string_view name) {
    const auto* found = message_.find(name);
    if (found != nullptr && found->object() != nullptr) return found;
    note(error{error_code::invalid_request, "`" + std::string(name) + "` must be an object",
               std::string(name)});
    return nullptr;
  }

  void note(std::optional<error> fault) {
    if (fault && fault_.message.empty()) fault_ = std::move(*fault);
  }

  read_result end(client_message message) {
    if (fault_.message.empty()) return message;
    const bool request = std::holds_alternative<request_message>(message);
    return bad_message{request ? id_ : std::string(), fault_};
  }

 private:
  const json_value& message_;
  std::string id_;  // if it is in order
  error fault_;
};

read_result read_request(members& from) {
  request_message out;
  out.id = from.id();
  const auto endpoint = from.string("endpoint");
  if (endpoint == "completions") out.endpoint = api::endpoint::completions;
  if (endpoint != "completions" && endpoint != "chat") {
    from.note(
        error{error_code::invalid_request, "`endpoint` must be \"chat\" or \"completions\"", "endpoint"});
  }
  if (const auto* body = from.object("body")) out.body = api::to_json(*body);
  out.credits = from.credits("credits");
  return from.end(std::move(out));
}

read_result read_credit(members& from) {
  credit_message out;
  out.id = from.id();
  const auto tokens = from.credits("tokens");
  if (!tokens) from.note(error{error_code::invalid_request, "`tokens` is missing", "tokens"});
  out.tokens = tokens.value_or(0);
  return from.end(std::move(out));
}

read_result read_ping(members& from, bool with_data) {
  ping_message out;
  if (with_data) out.data = from.string("data");
  if (out.data.size() > ping_limit) {
    from.note(error{error_code::invalid_request, "`data` may have 1024 bytes", "data"});
  }
  return from.end(std::move(out));
}

class json_form final : public codec {
 public:
  std::string_view subprotocol() const override { return "neap.v1.json"; }
  bool binary() const override { return false; }

  read_result read(std::string_view message) const override {
    auto document = api::parse_json(message, "the message");
    if (!document) return bad_message{{}, document.error()};
    members from(*document);
    if (document->object() == nullptr) {
      return bad_message{{}, {error_code::invalid_request, "a message must be a JSON object", {}}};
    }
    const auto type = from.string("type");
    if (type == "request") return read_request(from);
    if (type == "cancel") return from.end(cancel_message{from.id()});
    if (type == "credit") return read_credit(from);
    if (type == "ping") return read_ping(from, document->find("data") != nullptr);
    from.note(error{error_code::invalid_request,
                    "`type` must be request, cancel, credit or ping and not " + api::quote(type), "type"});
    return from.end(ping_message{});
  }

  std::string event(std::string_view id, std::string_view json, std::size_t tokens) const override {
    auto out = begin("event", id);
    out += ",\"tokens\":" + std::to_string(tokens) + ",\"data\":";
    return out.append(json).append("}");
  }

  std::string done(std::string_view id) const override { return begin("done", id) + "}"; }

  std::string failure(std::string_view id, const error& fault) const override {
    return begin("error", id) + "," + api::error_body(fault).substr(1);
  }

  std::string pong(std::string_view data) const override {
    std::string out = R"({"type":"pong","data":)";
    api::append_json_string(out, data);
    return out + "}";
  }

 private:
  static std::string begin(std::string_view type, std::string_view id) {
    std::string out = R"({"type":")" + std::string(type) + "\"";
    if (id.empty()) return out;
    out += ",\"id\":";
    api::append_json_string(out, id);
    return out;
  }
};

}  // namespace

const codec& json_codec() {
  static const json_form form;
  return form;
}

}  // namespace neap::websocket
