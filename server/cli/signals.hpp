#pragma once
// SIGINT and SIGTERM, taken by one thread of our own.

#include <atomic>
#include <functional>
#include <future>
#include <thread>

namespace neap::cli {

class shutdown_signals {
 public:
  // Blocks both signals for this thread and all it starts later, so make it before any other thread; ignores
  // SIGPIPE and SIGHUP. Until serving() the first signal calls `end_now` with a status of 128 + signal.
  explicit shutdown_signals(std::function<void(int)> end_now);
  ~shutdown_signals();

  // From now on the first signal asks for a drain and the next one that comes a second or more after it calls
  // `end_now`.
  void serving();

  // As the first signal, but for a fault inside: wait() answers false. Any thread; does not block.
  void give_up();

  // Blocks until the first signal; true if it came from outside. Once.
  bool wait();

 private:
  void watch();

  std::function<void(int)> end_now_;
  std::promise<void> asked_;
  std::atomic<bool> serving_{false};
  std::atomic<bool> ending_{false};
  std::atomic<bool> given_up_{false};
  std::thread thread_;
};

}  // namespace neap::cli
