#pragma once
// Cancels a socket's pending operations when a time limit passes; the socket stays usable, so that an answer
// can say why. One thread.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace neap::http {

class watchdog {
 public:
  explicit watchdog(boost::asio::ip::tcp::socket& socket) : socket_(socket), timer_(socket.get_executor()) {}

  // Starts or restarts the limit. `owner` keeps socket and watchdog alive until the timer is done.
  void arm(std::shared_ptr<void> owner, std::chrono::milliseconds limit) {
    fired_ = false;
    timer_.expires_after(limit);
    timer_.async_wait([this, owner = std::move(owner), round = ++round_](boost::system::error_code failure) {
      if (failure || round != round_) return;
      fired_ = true;
      boost::system::error_code ignored;
      socket_.cancel(ignored);
    });
  }

  // A limit that was queued to fire but has not run yet has no effect either.
  void disarm() {
    ++round_;
    timer_.cancel();
  }

  bool fired() const noexcept { return fired_; }

 private:
  boost::asio::ip::tcp::socket& socket_;
  boost::asio::steady_timer timer_;
  std::uint64_t round_ = 0;
  bool fired_ = false;
};

}  // namespace neap::http
