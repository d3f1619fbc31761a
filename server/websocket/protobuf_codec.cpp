// Messages as Protobuf (messages/proto/websocket.proto), in binary frames.
#include "messages/proto/websocket.pb.h"
#include "server/websocket/messages.hpp"

#include <utility>

namespace neap::websocket {
namespace {

using read_result = std::variant<client_message, bad_message>;

error invalid(std::string message, std::string param = {}) {
  return {error_code::invalid_request, std::move(message), std::move(param)};
}

read_result read_request(const Request& from) {
  request_message out;
  out.id = from.id();
  out.body = from.body();
  if (from.has_credits()) out.credits = from.credits();
  if (auto fault = check_credits(out.credits.value_or(0), "credits")) return bad_message{out.id, *fault};
  switch (from.endpoint()) {
    case ENDPOINT_CHAT:
      out.endpoint = api::endpoint::chat;
      return client_message(std::move(out));
    case ENDPOINT_COMPLETIONS:
      out.endpoint = api::endpoint::completions;
      return client_message(std::move(out));
    default:
      return bad_message{out.id, invalid("`endpoint` must be CHAT or COMPLETIONS", "endpoint")};
  }
}

class protobuf_form final : public codec {
 public:
  std::string_view subprotocol() const override { return "neap.v1.proto"; }
  bool binary() const override { return true; }

  read_result read(std::string_view message) const override {
    ClientMessage from;
    if (!from.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
      return bad_message{{}, invalid("the message is not a neap.websocket.ClientMessage")};
    }
    if (from.has_ping()) {
      if (from.ping().data().size() > ping_limit) {
        return bad_message{{}, invalid("`data` may have 1024 bytes", "data")};
      }
      return client_message(ping_message{from.ping().data()});
    }
    const auto& id = from.has_request()  ? from.request().id()
                     : from.has_cancel() ? from.cancel().id()
                                         : from.credit().id();
    if (from.kind_case() == ClientMessage::KIND_NOT_SET) {
      return bad_message{{}, invalid("the message has none of the known kinds")};
    }
    if (auto fault = check_id(id)) return bad_message{{}, *fault};
    if (from.has_request()) return read_request(from.request());
    if (from.has_cancel()) return client_message(cancel_message{id});
    if (auto fault = check_credits(from.credit().tokens(), "tokens")) return bad_message{{}, *fault};
    return client_message(credit_message{id, from.credit().tokens()});
  }

  std::string event(std::string_view id, std::string_view json, std::size_t tokens) const override {
    ServerMessage out;
    auto& event = *out.mutable_event();
    event.set_id(std::string(id));
    event.set_data(std::string(json));
    event.set_tokens(tokens);
    return out.SerializeAsString();
  }

  std::string done(std::string_view id) const override {
    ServerMessage out;
    out.mutable_done()->set_id(std::string(id));
    return out.SerializeAsString();
  }

  std::string failure(std::string_view id, const error& fault) const override {
    ServerMessage out;
    out.mutable_error()->set_id(std::string(id));
    auto& problem = *out.mutable_error()->mutable_problem();
    problem.set_message(fault.message);
    problem.set_type(std::string(error_type(fault.code)));
    problem.set_param(fault.param);
    problem.set_code(std::string(error_name(fault.code)));
    return out.SerializeAsString();
  }

  std::string pong(std::string_view data) const override {
    ServerMessage out;
    out.mutable_pong()->set_data(std::string(data));
    return out.SerializeAsString();
  }
};

}  // namespace

const codec& protobuf_codec() {
  static const protobuf_form form;
  return form;
}

}  // namespace neap::websocket
