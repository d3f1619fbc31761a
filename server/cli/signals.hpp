#pragma once
// SIGINT and SIGTERM, taken by one thread of our own.

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace neap::cli {

class shutdown_signals {
 public:
  // Blocks them for this thread and all it starts later, so make it before any other thread; ignores SIGPIPE, and
  // SIGHUP without on_hangup(). Until serving() the first signal calls `end_now` with a status of 128 + signal.
  explicit shutdown_signals(std::function<void(int)> end_now);
  ~shutdown_signals();

  // From now on the first signal asks for a drain and the next one that comes a second or more after it calls
  // `end_now`.
  void serving();

  // Called on the watching thread for every SIGHUP from now on.
  void on_hangup(std::function<void()> reload);

  // As the first signal, but for a fault inside: wait() answers false. Any thread; does not block.
  void give_up();

  // Blocks until the first signal; true if it came from outside. Once.
  bool wait();

 private:
  void watch();

  std::function<void(int)> end_now_;
  std::mutex mutex_;
  std::function<void()> reload_;  // guarded by mutex_
  std::promise<void> asked_;
  std::atomic<bool> serving_{false};
  std::atomic<bool> ending_{false};
  std::atomic<bool> given_up_{false};
  std::thread thread_;
};

}  // namespace neap::cli
