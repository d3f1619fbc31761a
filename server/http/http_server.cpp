#include "server/http/http_server.hpp"

#include "server/http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

namespace neap::http {

namespace net = boost::asio;
using tcp = net::ip::tcp;

namespace {

error configuration_error(std::string message) {
  return {neap::error_code::invalid_configuration, std::move(message), {}};
}

void write_to_program_log(bool warning, const std::string& line) {
  spdlog::log(warning ? spdlog::level::warn : spdlog::level::info, "{}", line);
}

class http_server_impl final : public http_server {
 public:
  explicit http_server_impl(const server_options& options) : options_(options), acceptor_(io_) {}
  ~http_server_impl() override { stop(std::chrono::milliseconds(0)); }

  result<void> open();
  std::uint16_t port() const override { return port_; }
  result<void> serve(gateway& to) override;
  void reload(access_rules access, tls_context tls) override;
  void begin_drain() override;
  void stop(std::chrono::milliseconds limit) override;

 private:
  net::awaitable<void> accept_loop();
  std::unique_ptr<transport> make_transport(tcp::socket socket);
  void end_idle_connections();
  bool take_place(bool probe);
  net::awaitable<void> run_connection(std::shared_ptr<connection> c, bool probe);

  server_options options_;
  net::io_context io_{1};
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::shared_ptr<server_state> state_;
  std::vector<std::weak_ptr<connection>> connections_;  // io thread only
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t open_ = 0;    // connections, guarded by mutex_
  std::size_t probes_ = 0;  // connections over the limit, guarded by mutex_
  bool closed_ = false;     // the port is given back, guarded by mutex_
  std::thread thread_;
};

result<void> http_server_impl::open() {
  boost::system::error_code failure;
  tcp::resolver resolver(io_);
  const auto found = resolver.resolve(options_.host, std::to_string(options_.port), failure);
  if (failure || found.empty()) {
    return configuration_error("cannot resolve the host name '" + options_.host +
                               "'; give --host an address");
  }
  const auto endpoint = found.begin()->endpoint();
  if (!options_.insecure && options_.access.keys.empty() && !endpoint.address().is_loopback()) {
    return configuration_error("the address " + options_.host +
                               " is open to other machines and there is no API key; use --host 127.0.0.1, "
                               "--api-key-file, or --insecure to serve everyone");
  }
  const auto where = options_.host + ":" + std::to_string(options_.port);
  acceptor_.open(endpoint.protocol(), failure);
  if (!failure) acceptor_.set_option(net::socket_base::reuse_address(true), failure);
  if (!failure) acceptor_.bind(endpoint, failure);
  // Listening takes the port for good; connections wait in the queue until serve().
  if (!failure) acceptor_.listen(net::socket_base::max_listen_connections, failure);
  if (failure == net::error::address_in_use) {
    return configuration_error(where + " is in use; stop the other server or choose another --port");
  }
  if (failure) return configuration_error("cannot listen on " + where + ": " + failure.message());
  port_ = acceptor_.local_endpoint().port();
  return {};
}

result<void> http_server_impl::serve(gateway& to) {
  head_rules rules;
  rules.require_loopback_host = !options_.insecure && options_.access.keys.empty();
  state_ = std::make_shared<server_state>(to, options_.limits, rules,
                                          std::make_shared<const access_rules>(options_.access),
                                          options_.log ? options_.log : write_to_program_log);
  state_->upgrades = options_.upgrades;
  net::co_spawn(io_, accept_loop(), net::detached);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "neap.http");
    io_.run();
  });
  return {};
}

net::awaitable<void> http_server_impl::accept_loop() {
  net::steady_timer pause(io_);
  while (acceptor_.is_open()) {
    auto [failure, socket] = co_await acceptor_.async_accept(net::as_tuple(net::use_awaitable));
    if (failure == net::error::operation_aborted) break;
    if (failure) {
      // Out of descriptors, or a client that left already: never spin.
      state_->log.report(event_kind::accept_failed, failure.message());
      pause.expires_after(std::chrono::milliseconds(50));
      co_await pause.async_wait(net::as_tuple(net::use_awaitable));
      continue;
    }
    const bool probe = !take_place(false);
    if (probe) {
      state_->log.report(event_kind::connection_limit,
                         std::to_string(options_.limits.connections) + " are open already");
      if (!take_place(true)) continue;  // a flood gets no answer
    }
    auto c = std::make_shared<connection>(make_transport(std::move(socket)), state_, probe);
    std::erase_if(connections_, [](const auto& weak) { return weak.expired(); });
    connections_.push_back(c);
    net::co_spawn(io_, run_connection(std::move(c), probe), net::detached);
  }
}

std::unique_ptr<transport> http_server_impl::make_transport(tcp::socket socket) {
  const auto buffer = options_.limits.send_buffer_bytes;
  return options_.tls == nullptr ? make_plain_transport(std::move(socket), buffer)
                                 : make_tls_transport(std::move(socket), buffer, options_.tls);
}

void http_server_impl::reload(access_rules access, tls_context tls) {
  net::post(io_, [this, access = std::move(access), tls = std::move(tls)]() mutable {
    state_->access = std::make_shared<const access_rules>(std::move(access));
    options_.tls = std::move(tls);
  });
}

// Counts one more connection, if there is room.
bool http_server_impl::take_place(bool probe) {
  const std::lock_guard lock(mutex_);
  auto& taken = probe ? probes_ : open_;
  const bool room = taken < (probe ? options_.limits.probe_connections : options_.limits.connections);
  if (room) ++taken;
  return room;
}

net::awaitable<void> http_server_impl::run_connection(std::shared_ptr<connection> c, bool probe) {
  try {
    co_await c->run();
  } catch (const std::exception& failure) {
    c->abandon();
    state_->log.report(event_kind::connection_failed, failure.what());
  }
  const std::lock_guard lock(mutex_);
  --(probe ? probes_ : open_);
  ended_.notify_all();
}

void http_server_impl::end_idle_connections() {
  for (const auto& weak : connections_) {
    if (const auto c = weak.lock()) c->end_if_idle();
  }
}

void http_server_impl::begin_drain() {
  if (state_ == nullptr || state_->service.draining.exchange(true)) return;
  net::post(io_, [this] { end_idle_connections(); });
}

void http_server_impl::stop(std::chrono::milliseconds limit) {
  if (!thread_.joinable()) return;
  state_->service.draining = true;
  state_->stopping = true;
  net::post(io_, [this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    end_idle_connections();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ended_.notify_all();
  });
  {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, limit, [this] { return closed_ && open_ + probes_ == 0; });
  }
  io_.stop();
  thread_.join();
  state_->log.flush();
}

}  // namespace

result<std::unique_ptr<http_server>> http_server::bind(const server_options& options) {
  auto server = std::make_unique<http_server_impl>(options);
  if (auto opened = server->open(); !opened) return opened.error();
  return std::unique_ptr<http_server>(std::move(server));
}

}  // namespace neap::http
