// A server that sends every WebSocket message back, on the same socket code as the product: what protocol
// test suites talk to. Prints its port and runs until its input ends.
//
// usage: websocket_echo [deflate] [wrong] [ping-ms=N] [idle-ms=N] [stalled-ms=N]
//        wrong: answers text with binary, which a test suite must notice

#include "server/http/http_server.hpp"
#include "server/http/route_table.hpp"
#include "server/websocket/session.hpp"
#include "server/websocket/upgrade_check.hpp"
#include "tests/support/fake_gateway.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace neap::websocket {
namespace {

struct settings {
  options sockets;
  http::limits limits;
  bool wrong = false;
};

class echo final : public http::upgraded, public socket_owner, public std::enable_shared_from_this<echo> {
 public:
  echo(http::upgrade_request from, const settings& with)
      : wrong_(with.wrong), socket_(make_socket(std::move(from), {}, with.sockets)) {}

  boost::asio::awaitable<void> run() override {
    const auto self = shared_from_this();
    co_await socket_->run(*this);
  }
  void begin_drain() override { socket_->close(close_code::going_away, {}); }
  void abandon() override { socket_->reset(); }

  void on_message(std::string_view message, bool binary) override {
    socket_->send(std::string(message), binary || wrong_);
  }
  void on_drained() override {}
  void on_tick(time_point) override {}
  void on_closed() override {}
  bool busy() const override { return false; }

 private:
  bool wrong_;
  std::shared_ptr<socket> socket_;
};

class echo_upgrader final : public http::upgrader {
 public:
  explicit echo_upgrader(const settings& with) : settings_(with) {}
  bool wants(const http::request_head& head) const override { return asks_for_websocket(head); }
  void prepare(http::request_head&) const override {}
  std::optional<http::response> refuse(const http::request_head& head) const override {
    return refuse_handshake(head);
  }
  std::shared_ptr<http::upgraded> take(http::upgrade_request from) const override {
    return std::make_shared<echo>(std::move(from), settings_);
  }

 private:
  settings settings_;
};

settings read_arguments(int count, char** texts) {
  settings out;
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    const std::chrono::milliseconds time(std::atoi(text.substr(text.find('=') + 1).c_str()));
    if (text == "deflate") {
      out.sockets.deflate = true;
      out.sockets.deflate_from = 0;  // the suite cannot read texts that are not compressed where most are
    }
    if (text == "wrong") out.wrong = true;
    if (text.starts_with("ping-ms=")) out.sockets.ping_after = time;
    if (text.starts_with("idle-ms=")) out.sockets.idle_time = time;
    if (text.starts_with("stalled-ms=")) out.limits.stalled_time = time;
  }
  return out;
}

}  // namespace
}  // namespace neap::websocket

int main(int count, char** texts) {
  const auto settings = neap::websocket::read_arguments(count, texts);
  neap::http::server_options options;
  options.port = 0;
  options.limits = settings.limits;
  options.log = [](bool, const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  options.upgrades = std::make_shared<neap::websocket::echo_upgrader>(settings);
  neap::test::fake_gateway gateway;
  auto server = neap::http::http_server::bind(options);
  if (!server || !(*server)->serve(gateway)) return 1;
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  (*server)->stop(std::chrono::milliseconds(1000));
  return 0;
}
