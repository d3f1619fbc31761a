#include "server/websocket/websocket_upgrader.hpp"

#include "server/http/head_check.hpp"
#include "server/http/route_table.hpp"
#include "server/websocket/session.hpp"
#include "server/websocket/upgrade_check.hpp"

#include <utility>

namespace neap::websocket {
namespace {

class websocket_upgrader final : public http::upgrader {
 public:
  explicit websocket_upgrader(const options& with) : options_(with) {}

  bool wants(const http::request_head& head) const override {
    return asks_for_websocket(head) && http::request_path(head) == http::websocket_path;
  }

  void prepare(http::request_head& head) const override { move_key_to_header(head); }

  std::optional<http::response> refuse(const http::request_head& head) const override {
    return refuse_handshake(head);
  }

  std::shared_ptr<http::upgraded> take(http::upgrade_request from) const override {
    auto subprotocol = choose_subprotocol(from.head);
    const auto& form = subprotocol == protobuf_codec().subprotocol() ? protobuf_codec() : json_codec();
    return std::make_shared<session>(std::move(from), form, std::move(subprotocol), options_);
  }

 private:
  options options_;
};

}  // namespace

std::shared_ptr<http::upgrader> make_upgrader(const options& with) {
  return std::make_shared<websocket_upgrader>(with);
}

}  // namespace neap::websocket
