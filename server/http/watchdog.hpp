#pragma once
// Cancels a transport's pending operations when a time limit passes; it stays usable, so that an answer can
// say why. One thread.

#include "server/http/transport.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace neap::http {

class watchdog {
 public:
  explicit watchdog(transport& guarded) : transport_(guarded), timer_(guarded.executor()) {}

  // Starts or restarts the limit. `owner` keeps transport and watchdog alive until the timer is done.
  void arm(std::shared_ptr<void> owner, std::chrono::milliseconds limit) {
    fired_ = false;
    timer_.expires_after(limit);
    timer_.async_wait([this, owner = std::move(owner), round = ++round_](boost::system::error_code failure) {
      if (failure || round != round_) return;
      fired_ = true;
      transport_.cancel();
    });
  }

  // A limit that was queued to fire but has not run yet has no effect either.
  void disarm() {
    ++round_;
    timer_.cancel();
  }

  bool fired() const noexcept { return fired_; }

 private:
  transport& transport_;
  boost::asio::steady_timer timer_;
  std::uint64_t round_ = 0;
  bool fired_ = false;
};

}  // namespace neap::http
