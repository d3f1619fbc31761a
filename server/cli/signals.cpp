#include "server/cli/signals.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <utility>

namespace neap::cli {
namespace {

// A terminal and a process manager may send the same signal both; only a later one is a second wish.
constexpr std::chrono::seconds repeat_time{1};

// Wakes the watching thread at the end; not used by anybody else.
constexpr int wake_signal = SIGUSR2;

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, wake_signal);
  return set;
}

}  // namespace

shutdown_signals::shutdown_signals(std::function<void(int)> end_now) : end_now_(std::move(end_now)) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { watch(); });
}

shutdown_signals::~shutdown_signals() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), wake_signal);
  thread_.join();
}

void shutdown_signals::serving() { serving_ = true; }

void shutdown_signals::on_hangup(std::function<void()> reload) {
  const std::lock_guard lock(mutex_);
  reload_ = std::move(reload);
}

void shutdown_signals::give_up() {
  given_up_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
}

bool shutdown_signals::wait() {
  asked_.get_future().wait();
  return !given_up_;
}

void shutdown_signals::watch() {
  const auto set = watched_signals();
  bool asked = false;
  std::chrono::steady_clock::time_point asked_at;
  while (true) {
    int signal = 0;
    sigwait(&set, &signal);
    if (signal == wake_signal) {
      if (ending_) return;
      continue;
    }
    if (signal == SIGHUP) {
      const std::lock_guard lock(mutex_);
      if (reload_) reload_();
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    if (asked && now - asked_at < repeat_time) continue;
    if (!serving_ || asked) {
      end_now_(128 + signal);
      return;
    }
    asked = true;
    asked_at = now;
    asked_.set_value();
  }
}

}  // namespace neap::cli
