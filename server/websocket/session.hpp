#pragma once
// A WebSocket that carries generation requests: messages in, each request's answer out. The io thread only.

#include "server/http/connection.hpp"
#include "server/http/upgrade.hpp"
#include "server/websocket/request_output.hpp"
#include "server/websocket/socket.hpp"

#include <map>
#include <memory>
#include <string>

namespace neap::websocket {

class session final : public http::upgraded,
                      public socket_owner,
                      public answer_channel,
                      public std::enable_shared_from_this<session> {
 public:
  session(http::upgrade_request from, const codec& form, std::string subprotocol, const options& with);

  // http::upgraded
  boost::asio::awaitable<void> run() override;
  void begin_drain() override;
  void abandon() override { socket_->reset(); }

  // socket_owner
  void on_message(std::string_view message, bool binary) override;
  void on_drained() override;
  void on_tick(time_point now) override;
  void on_closed() override;
  bool busy() const override { return !requests_.empty(); }

  // answer_channel
  const codec& form() const override { return codec_; }
  void send(std::string message) override { socket_->send(std::move(message), codec_.binary()); }
  std::size_t buffered() const override { return socket_->buffered(); }
  void ended(const std::string& id) override;
  void check_held() override;

 private:
  using time_point = socket_owner::time_point;

  void on(const request_message& message);
  void on(const cancel_message& message);
  void on(const credit_message& message);
  void on(const ping_message& message);
  std::optional<error> refusal(const request_message& message) const;
  std::shared_ptr<request_output> find(const std::string& id) const;
  void refuse(const std::string& id, const error& fault);

  const codec& codec_;
  options options_;
  std::shared_ptr<http::server_state> state_;
  http::caller from_;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<socket> socket_;
  std::map<std::string, std::shared_ptr<request_output>> requests_;  // those that are open
  bool draining_ = false;
};

}  // namespace neap::websocket
