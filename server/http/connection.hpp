#pragma once
// One connection: reads requests in order, hands each to its route, writes the answer, watches for the
// client's departure meanwhile. Everything runs on the io thread.

#include "server/http/access.hpp"
#include "server/http/exchange.hpp"
#include "server/http/head_check.hpp"
#include "server/http/service.hpp"
#include "server/http/transport.hpp"
#include "server/http/upgrade.hpp"
#include "server/http/watchdog.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace neap::http {

// What all connections of a server share.
struct server_state {
  server_state(gateway& to, const http::limits& limits, const head_rules& head,
               std::shared_ptr<const access_rules> who, event_log::writer write_event)
      : service(to, limits),
        rules(head),
        access(std::move(who)),
        bodies(std::make_shared<body_budget>(limits.all_bodies_bytes)),
        log(std::move(write_event)) {}

  http::service service;
  head_rules rules;
  std::shared_ptr<const access_rules> access;  // never null; io thread only, replaced by a reload
  std::shared_ptr<body_budget> bodies;
  event_log log;                       // io thread only
  std::shared_ptr<upgrader> upgrades;  // may be empty
  std::atomic<bool> stopping{false};   // no connection waits for a request any more
};

struct route;

class connection : public std::enable_shared_from_this<connection> {
 public:
  // `probe` is a connection over the limit of all: it gets one answer, which is 503 except for the open routes.
  connection(std::unique_ptr<transport> bytes, std::shared_ptr<server_state> state, bool probe = false);

  // The connection's whole life.
  boost::asio::awaitable<void> run();

  // Ends it now if it waits for a request.
  void end_if_idle();

  // Closes it whatever it does: after a failure of ours.
  void abandon();

 private:
  // Reading (connection_read.cpp). Where there is no result the connection is over, or refused_ says why.
  boost::asio::awaitable<bool> wait_for_request();
  boost::asio::awaitable<exchange_ptr> read_request();
  boost::asio::awaitable<std::optional<request_head>> read_head();
  boost::asio::awaitable<std::optional<received_body>> read_body(const request_head& head);
  boost::asio::awaitable<bool> read_more(std::size_t most);
  const route* accept_head(const request_head& head);
  bool accept_upgrade(request_head& head);
  void refuse(const request_head* head, response answer, bool close);
  void refuse_and_close(const error& fault);
  std::chrono::milliseconds header_time() const { return probe_ ? limits_.probe_time : limits_.header_time; }
  std::string_view unparsed() const;
  bool authorise_head(const request_head& head, access_class needed);
  exchange_ptr make_exchange(request_head head, received_body body);

  // Answering (connection.cpp).
  std::shared_ptr<upgraded> upgrade();
  boost::asio::awaitable<bool> answer(exchange_ptr x);
  boost::asio::awaitable<bool> write_all(std::string bytes);
  boost::asio::awaitable<void> watch(exchange_ptr x);
  boost::asio::awaitable<void> wait_for_event();
  boost::asio::awaitable<void> wait_for_output(exchange& x);
  boost::asio::awaitable<void> linger();

  std::unique_ptr<transport> transport_;
  std::shared_ptr<server_state> state_;
  const http::limits& limits_;
  const bool probe_;
  watchdog watchdog_;
  boost::asio::steady_timer event_;
  boost::beast::flat_buffer input_;
  std::optional<request_head> upgrade_;  // asks to leave HTTP, and may
  std::weak_ptr<upgraded> upgraded_;
  exchange_ptr refused_;  // the answer to a request that reached no route
  caller caller_;         // of the request under way
  bool first_ = true;     // no request was read yet
  bool idle_ = false;
  bool watching_ = false;
  bool unread_ = false;    // the client may still be sending a body that nobody reads
  bool answered_ = false;  // an answer was written last
};

}  // namespace neap::http
