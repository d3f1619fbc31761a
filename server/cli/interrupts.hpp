#pragma once
// SIGINT and SIGTERM of an interactive command: they cancel what runs, and wake a read of the terminal.

#include <atomic>
#include <functional>

namespace neap::cli {

class interrupts {
 public:
  // For the thread that reads the terminal. Until ready() a signal calls `end_now` with 128 + signal. SIGPIPE
  // is ignored. One object at a time.
  explicit interrupts(std::function<void(int)> end_now);
  ~interrupts();

  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  // From now on a signal only sets what follows.
  void ready();

  // True from a signal on until clear(); SIGTERM stays.
  const std::atomic<bool>& asked() const;
  void clear();
  // The last signal, 0 for none.
  int last_signal() const;
  bool terminated() const;
};

}  // namespace neap::cli
